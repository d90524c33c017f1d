package io.aeron.agent;

import io.aeron.cluster.codecs.CloseReason;
import io.aeron.command.CorrelatedMessageFlyweight;
import io.aeron.command.CounterMessageFlyweight;
import io.aeron.command.CounterUpdateFlyweight;
import io.aeron.command.ClientTimeoutFlyweight;
import io.aeron.command.DestinationByIdMessageFlyweight;
import io.aeron.command.DestinationMessageFlyweight;
import io.aeron.command.ErrorResponseFlyweight;
import io.aeron.command.ImageBuffersReadyFlyweight;
import io.aeron.command.ImageMessageFlyweight;
import io.aeron.command.OperationSucceededFlyweight;
import io.aeron.command.PublicationBuffersReadyFlyweight;
import io.aeron.command.PublicationMessageFlyweight;
import io.aeron.command.RejectImageFlyweight;
import io.aeron.command.RemoveCounterFlyweight;
import io.aeron.command.RemovePublicationFlyweight;
import io.aeron.command.RemoveSubscriptionFlyweight;
import io.aeron.command.SubscriptionMessageFlyweight;
import io.aeron.command.SubscriptionReadyFlyweight;
import io.aeron.command.TerminateDriverFlyweight;
import io.aeron.ErrorCode;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.ErrorFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.NakFlyweight;
import io.aeron.protocol.ResolutionEntryFlyweight;
import io.aeron.protocol.ResponseSetupFlyweight;
import io.aeron.protocol.RttMeasurementFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.aeron.protocol.StatusMessageFlyweight;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Prints a line of JSON for each event of the real agent: the record that its logger writes, and the
 * line that its reader prints. The time of each record is replaced. The argument is the file of the
 * codecs' vectors, whose messages of the archive are logged too.
 */
public final class EventVectors
{
    private static final long TIME_NS = 1_234_000_567_890L;
    private static final HexFormat HEX = HexFormat.of();

    private enum State
    {
        INIT, CANVASS, CLOSED
    }

    private enum Action
    {
        CONSENSUS_MODULE_STARTUP
    }

    private final ManyToOneRingBuffer ring = new ManyToOneRingBuffer(
        new UnsafeBuffer(ByteBuffer.allocateDirect(1024 * 1024 + RingBufferDescriptor.TRAILER_LENGTH)));
    private final DriverEventLogger driver = new DriverEventLogger(ring);
    private final ArchiveEventLogger archive = new ArchiveEventLogger(ring);
    private final ClusterEventLogger cluster = new ClusterEventLogger(ring);
    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[64 * 1024]);

    public static void main(final String[] args) throws Exception
    {
        DriverComponentLogger.ENABLED_EVENTS.addAll(java.util.EnumSet.allOf(DriverEventCode.class));
        ArchiveComponentLogger.ENABLED_EVENTS.addAll(java.util.EnumSet.allOf(ArchiveEventCode.class));
        final EventVectors vectors = new EventVectors();
        vectors.commands();
        vectors.frames();
        vectors.otherDriverEvents();
        vectors.archiveMessages(Path.of(args[0]));
        vectors.otherArchiveEvents();
        vectors.clusterEvents();
        vectors.out.flush();
    }

    private void print()
    {
        ring.read(this::onRecord);
    }

    private void onRecord(final int typeId, final MutableDirectBuffer record, final int index, final int length)
    {
        record.putLong(index + 8, TIME_NS);
        final int type = typeId >> 16;
        final int code = typeId & 0xFFFF;
        final StringBuilder line = new StringBuilder();
        final String name;
        switch (type)
        {
            case 0:
                name = DriverEventCode.get(code).name();
                DriverEventCode.get(code).decode(record, index, line);
                break;

            case 1:
                name = ArchiveEventCode.get(code).name();
                ArchiveEventCode.get(code).decode(record, index, line);
                break;

            default:
                name = ClusterEventCode.get(code).name();
                ClusterEventCode.get(code).decode(record, index, line);
                break;
        }
        final byte[] bytes = new byte[length];
        record.getBytes(index, bytes);
        final String text = line.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        out.printf(
            "{\"type\": %d, \"code\": %d, \"name\": \"%s\", \"line\": \"%s\", \"hex\": \"%s\"}%n",
            type, code, name, text, HEX.formatHex(bytes));
    }

    private void command(final DriverEventCode code, final int length)
    {
        driver.log(code, buffer, 0, length);
        print();
        buffer.setMemory(0, buffer.capacity(), (byte)0);
    }

    private void commands()
    {
        for (final DriverEventCode code : new DriverEventCode[]{
            DriverEventCode.CMD_IN_ADD_PUBLICATION, DriverEventCode.CMD_IN_ADD_EXCLUSIVE_PUBLICATION })
        {
            final PublicationMessageFlyweight message = new PublicationMessageFlyweight();
            message.wrap(buffer, 0);
            message.streamId(1001).channel("aeron:udp?endpoint=localhost:4040").clientId(7).correlationId(9);
            command(code, message.length());
        }
        final SubscriptionMessageFlyweight subscription = new SubscriptionMessageFlyweight();
        subscription.wrap(buffer, 0);
        subscription.streamId(-5).registrationCorrelationId(11).channel("aeron:ipc").clientId(7).correlationId(12);
        command(DriverEventCode.CMD_IN_ADD_SUBSCRIPTION, subscription.length());

        final RemovePublicationFlyweight removePublication = new RemovePublicationFlyweight();
        removePublication.wrap(buffer, 0);
        removePublication.registrationId(31).clientId(7).correlationId(13);
        removePublication.revoke(true);
        command(DriverEventCode.CMD_IN_REMOVE_PUBLICATION, RemovePublicationFlyweight.length());
        // Of an older client, without flags.
        removePublication.wrap(buffer, 0);
        removePublication.registrationId(31).clientId(7).correlationId(13);
        command(DriverEventCode.CMD_IN_REMOVE_PUBLICATION, 24);

        final RemoveSubscriptionFlyweight removeSubscription = new RemoveSubscriptionFlyweight();
        removeSubscription.wrap(buffer, 0);
        removeSubscription.registrationId(32).clientId(7).correlationId(14);
        command(DriverEventCode.CMD_IN_REMOVE_SUBSCRIPTION, RemoveSubscriptionFlyweight.length());
        final RemoveCounterFlyweight removeCounter = new RemoveCounterFlyweight();
        removeCounter.wrap(buffer, 0);
        removeCounter.registrationId(33).clientId(7).correlationId(15);
        command(DriverEventCode.CMD_IN_REMOVE_COUNTER, RemoveCounterFlyweight.length());

        for (final DriverEventCode code : new DriverEventCode[]{
            DriverEventCode.CMD_OUT_PUBLICATION_READY, DriverEventCode.CMD_OUT_EXCLUSIVE_PUBLICATION_READY })
        {
            final PublicationBuffersReadyFlyweight message = new PublicationBuffersReadyFlyweight();
            message.wrap(buffer, 0);
            message.sessionId(-99).streamId(1001).publicationLimitCounterId(10).channelStatusCounterId(18)
                .correlationId(16).registrationId(17).logFileName("/dev/shm/aeron/publications/17.logbuffer");
            command(code, message.length());
        }
        final ImageBuffersReadyFlyweight image = new ImageBuffersReadyFlyweight();
        image.wrap(buffer, 0);
        image.sessionId(-99).streamId(1001).subscriberPositionId(20).subscriptionRegistrationId(21).correlationId(22)
            .logFileName("/dev/shm/aeron/images/22.logbuffer").sourceIdentity("127.0.0.1:33333");
        command(DriverEventCode.CMD_OUT_AVAILABLE_IMAGE, image.length());
        final OperationSucceededFlyweight succeeded = new OperationSucceededFlyweight();
        succeeded.wrap(buffer, 0).correlationId(23);
        command(DriverEventCode.CMD_OUT_ON_OPERATION_SUCCESS, OperationSucceededFlyweight.LENGTH);
        for (final DriverEventCode code : new DriverEventCode[]{
            DriverEventCode.CMD_IN_KEEPALIVE_CLIENT, DriverEventCode.CMD_IN_CLIENT_CLOSE })
        {
            final CorrelatedMessageFlyweight message = new CorrelatedMessageFlyweight();
            message.wrap(buffer, 0);
            message.clientId(7).correlationId(24);
            command(code, CorrelatedMessageFlyweight.LENGTH);
        }
        final ImageMessageFlyweight gone = new ImageMessageFlyweight();
        gone.wrap(buffer, 0).streamId(1001).correlationId(22).subscriptionRegistrationId(21).channel("aeron:ipc");
        command(DriverEventCode.CMD_OUT_ON_UNAVAILABLE_IMAGE, gone.length());
        for (final DriverEventCode code : new DriverEventCode[]{
            DriverEventCode.CMD_IN_ADD_DESTINATION, DriverEventCode.CMD_IN_REMOVE_DESTINATION,
            DriverEventCode.CMD_IN_ADD_RCV_DESTINATION, DriverEventCode.CMD_IN_REMOVE_RCV_DESTINATION })
        {
            final DestinationMessageFlyweight message = new DestinationMessageFlyweight();
            message.wrap(buffer, 0);
            message.registrationCorrelationId(25).channel("aeron:udp?endpoint=[::1]:5050").clientId(7)
                .correlationId(26);
            command(code, message.length());
        }
        final ErrorResponseFlyweight error = new ErrorResponseFlyweight();
        error.wrap(buffer, 0).offendingCommandCorrelationId(27).errorCode(ErrorCode.INVALID_CHANNEL)
            .errorMessage("no such channel");
        command(DriverEventCode.CMD_OUT_ERROR, error.length());
        final CounterMessageFlyweight counter = new CounterMessageFlyweight();
        counter.wrap(buffer, 0);
        counter.typeId(1100).clientId(7).correlationId(28);
        counter.keyBuffer(new UnsafeBuffer(new byte[5]), 0, 5);
        counter.labelBuffer(new UnsafeBuffer("a label".getBytes(StandardCharsets.US_ASCII)), 0, 7);
        command(DriverEventCode.CMD_IN_ADD_COUNTER, counter.length());
        final SubscriptionReadyFlyweight ready = new SubscriptionReadyFlyweight();
        ready.wrap(buffer, 0).correlationId(29).channelStatusCounterId(30);
        command(DriverEventCode.CMD_OUT_SUBSCRIPTION_READY, SubscriptionReadyFlyweight.LENGTH);
        for (final DriverEventCode code : new DriverEventCode[]{
            DriverEventCode.CMD_OUT_COUNTER_READY, DriverEventCode.CMD_OUT_ON_UNAVAILABLE_COUNTER })
        {
            final CounterUpdateFlyweight message = new CounterUpdateFlyweight();
            message.wrap(buffer, 0);
            message.correlationId(31).counterId(32);
            command(code, CounterUpdateFlyweight.LENGTH);
        }
        final ClientTimeoutFlyweight timeout = new ClientTimeoutFlyweight();
        timeout.wrap(buffer, 0).clientId(7);
        command(DriverEventCode.CMD_OUT_ON_CLIENT_TIMEOUT, ClientTimeoutFlyweight.LENGTH);
        final TerminateDriverFlyweight terminate = new TerminateDriverFlyweight();
        terminate.wrap(buffer, 0);
        terminate.clientId(7);
        terminate.tokenBuffer(new UnsafeBuffer(new byte[9]), 0, 9);
        command(DriverEventCode.CMD_IN_TERMINATE_DRIVER, terminate.length());
        final DestinationByIdMessageFlyweight byId = new DestinationByIdMessageFlyweight();
        byId.wrap(buffer, 0);
        byId.resourceRegistrationId(33).destinationRegistrationId(34).clientId(7).correlationId(35);
        command(DriverEventCode.CMD_IN_REMOVE_DESTINATION_BY_ID, DestinationByIdMessageFlyweight.MESSAGE_LENGTH);
        final RejectImageFlyweight reject = new RejectImageFlyweight();
        reject.wrap(buffer, 0);
        reject.clientId(7).correlationId(36);
        reject.imageCorrelationId(37).position(4096).reason("too slow");
        command(DriverEventCode.CMD_IN_REJECT_IMAGE, RejectImageFlyweight.computeLength("too slow"));
    }

    private void frame(final int length) throws Exception
    {
        final InetSocketAddress v4 = new InetSocketAddress("10.1.2.3", 4040);
        final InetSocketAddress v6 = new InetSocketAddress("fe80::1:2aff", 65000);
        driver.logFrameIn(buffer, 0, length, v4);
        final ByteBuffer copy = ByteBuffer.allocate(length);
        buffer.getBytes(0, copy, 0, length);
        driver.logFrameOut(copy, v6);
        print();
        buffer.setMemory(0, buffer.capacity(), (byte)0);
    }

    private <T extends HeaderFlyweight> T header(
        final T flyweight, final int type, final int flags, final int frameLength)
    {
        flyweight.wrap(buffer, 0, buffer.capacity());
        flyweight.version((short)0).flags((short)flags).headerType(type).frameLength(frameLength);
        return flyweight;
    }

    private void frames() throws Exception
    {
        for (final int type : new int[]{ HeaderFlyweight.HDR_TYPE_DATA, HeaderFlyweight.HDR_TYPE_PAD })
        {
            header(new DataHeaderFlyweight(), type, 0xC0, 100).sessionId(-3).streamId(4).termId(5).termOffset(64);
            frame(100);
        }
        header(new DataHeaderFlyweight(), HeaderFlyweight.HDR_TYPE_DATA, 0x80, 8192).sessionId(-3).streamId(4)
            .termId(5).termOffset(64);
        frame(8192);
        header(new NakFlyweight(), HeaderFlyweight.HDR_TYPE_NAK, 0, NakFlyweight.HEADER_LENGTH)
            .sessionId(1).streamId(2).termId(3).termOffset(4).length(5);
        frame(NakFlyweight.HEADER_LENGTH);
        header(new StatusMessageFlyweight(), HeaderFlyweight.HDR_TYPE_SM, 0x80, StatusMessageFlyweight.HEADER_LENGTH)
            .sessionId(1).streamId(2).consumptionTermId(3).consumptionTermOffset(4).receiverWindowLength(5)
            .receiverId(-6);
        frame(StatusMessageFlyweight.HEADER_LENGTH);
        final ErrorFlyweight error = header(new ErrorFlyweight(), HeaderFlyweight.HDR_TYPE_ERR, 0, 0);
        error.sessionId(1).streamId(2).receiverId(3).groupTag(4L).errorCode(ErrorCode.IMAGE_REJECTED.value())
            .errorMessage("no space");
        frame(error.frameLength());
        header(new SetupFlyweight(), HeaderFlyweight.HDR_TYPE_SETUP, 0, SetupFlyweight.HEADER_LENGTH)
            .sessionId(1).streamId(2).activeTermId(3).initialTermId(4).termOffset(5).termLength(65536)
            .mtuLength(1408).ttl(9);
        frame(SetupFlyweight.HEADER_LENGTH);
        header(new RttMeasurementFlyweight(), HeaderFlyweight.HDR_TYPE_RTTM, 0x80,
            RttMeasurementFlyweight.HEADER_LENGTH)
            .sessionId(1).streamId(2).echoTimestampNs(3).receptionDelta(4).receiverId(5);
        frame(RttMeasurementFlyweight.HEADER_LENGTH);
        header(new ResponseSetupFlyweight(), HeaderFlyweight.HDR_TYPE_RSP_SETUP, 0,
            ResponseSetupFlyweight.HEADER_LENGTH).sessionId(1).streamId(2).responseSessionId(-7);
        frame(ResponseSetupFlyweight.HEADER_LENGTH);
        final int first = HeaderFlyweight.MIN_HEADER_LENGTH;
        final ResolutionEntryFlyweight entry = new ResolutionEntryFlyweight();
        entry.wrap(buffer, first, 1024);
        entry.resType(ResolutionEntryFlyweight.RES_TYPE_NAME_TO_IP4_MD)
            .flags(ResolutionEntryFlyweight.SELF_FLAG).udpPort(8050).ageInMs(17);
        entry.putAddress(new byte[]{ 10, 0, 0, 1 });
        entry.putName("bob".getBytes(StandardCharsets.US_ASCII));
        final int second = first + entry.entryLength();
        entry.wrap(buffer, second, 1024);
        entry.resType(ResolutionEntryFlyweight.RES_TYPE_NAME_TO_IP6_MD).flags((short)0).udpPort(8051).ageInMs(18);
        entry.putAddress(InetAddress.getByName("fe80::1").getAddress());
        entry.putName("carol".getBytes(StandardCharsets.US_ASCII));
        final int end = second + entry.entryLength();
        header(new HeaderFlyweight(), HeaderFlyweight.HDR_TYPE_RES, 0, end);
        frame(end);
        header(new HeaderFlyweight(), 99, 0, 8);
        frame(8);
    }

    private void otherDriverEvents() throws Exception
    {
        final String channel = "aeron:udp?endpoint=localhost:4040";
        final String longChannel = "aeron:udp?endpoint=localhost:4040|alias=" + "x".repeat(5000);
        for (final String each : new String[]{ channel, longChannel })
        {
            driver.logPublicationRemoval(each, -9, 1001);
            driver.logSubscriptionRemoval(each, 1001, 41);
            driver.logImageRemoval(each, -9, 1001, 42);
        }
        for (final DriverEventCode code : new DriverEventCode[]{
            DriverEventCode.SEND_CHANNEL_CREATION, DriverEventCode.RECEIVE_CHANNEL_CREATION,
            DriverEventCode.SEND_CHANNEL_CLOSE, DriverEventCode.RECEIVE_CHANNEL_CLOSE, DriverEventCode.TEXT_DATA })
        {
            driver.logString(code, "localData: /0.0.0.0:0, remoteData: localhost/127.0.0.1:4040, ttl: 0");
        }
        driver.logUntetheredSubscriptionStateChange(State.INIT, State.CLOSED, 43, 1001, -9);
        driver.logAddress(
            DriverEventCode.NAME_RESOLUTION_NEIGHBOR_ADDED, new InetSocketAddress("10.1.2.3", 8050));
        driver.logAddress(
            DriverEventCode.NAME_RESOLUTION_NEIGHBOR_REMOVED, new InetSocketAddress("fe80::5", 8050));
        driver.logFlowControlReceiver(DriverEventCode.FLOW_CONTROL_RECEIVER_ADDED, 44, -9, 1001, channel, 2);
        driver.logFlowControlReceiver(DriverEventCode.FLOW_CONTROL_RECEIVER_REMOVED, 44, -9, 1001, channel, 1);
        driver.logResolve("default", 45, "localhost", true, InetAddress.getByName("127.0.0.1"));
        driver.logResolve("default", 45, "nowhere", false, null);
        driver.logLookup("default", 46, "endpoint", false, "localhost:4040");
        driver.logHostName(47, "this.host");
        driver.logNakMessage(
            DriverEventCode.NAK_SENT, new InetSocketAddress("10.1.2.3", 4040), -9, 1001, 5, 64, 128, channel);
        driver.logNakMessage(
            DriverEventCode.NAK_RECEIVED, new InetSocketAddress("fe80::5", 4040), -9, 1001, 5, 64, 128, channel);
        driver.logResend(-9, 1001, 5, 64, 128, channel);
        driver.logPublicationRevoke(49, -9, 1001, channel);
        driver.logPublicationImageRevoke(50, -9, 1001, channel);
        print();
    }

    private void archiveMessages(final Path codecs) throws Exception
    {
        final Pattern hex = Pattern.compile("\"schema\": ?\"archive\".*\"values\": ?\"(counting|zeros)\"" +
            ".*\"hex\": ?\"([0-9a-f]*)\"");
        for (final String line : Files.readAllLines(codecs))
        {
            final Matcher matcher = hex.matcher(line);
            if (matcher.find())
            {
                final UnsafeBuffer message = new UnsafeBuffer(HEX.parseHex(matcher.group(2)));
                final ArchiveEventCode code = ArchiveEventCode.getByTemplateId(message.getShort(2) & 0xFFFF);
                if (ArchiveEventCode.CMD_OUT_RESPONSE == code)
                {
                    archive.logControlResponse(message, 0, message.capacity());
                }
                else if (ArchiveEventCode.RECORDING_SIGNAL == code)
                {
                    archive.logRecordingSignal(message, 0, message.capacity());
                }
                else if (null != code)
                {
                    archive.logControlRequest(message, 0, message.capacity());
                }
                print();
            }
        }
    }

    private void otherArchiveEvents()
    {
        final String live = "aeron:udp?endpoint=localhost:4040";
        archive.logReplaySessionStateChange(State.INIT, State.CLOSED, 3L << 32 | 0xFFFFFFF0L, 5, 64, "a reason");
        archive.logRecordingSessionStateChange(State.INIT, State.CLOSED, 5, 64, "a reason");
        archive.logReplicationSessionStateChange(State.INIT, State.CLOSED, 6, 7, 8, 64, "a reason");
        archive.logControlSessionStateChange(State.INIT, State.CLOSED, 9, "a reason");
        archive.logReplicationSessionDone(1, 2, 3, 4, 5, 6, 7, 8, true, false, true);
        archive.logReplicationSessionDone(1, 2, 3, 4, 5, 6, 7, 8, false, true, false);
        archive.logReplaySessionError(10, 11, "an error");
        archive.logCatalogResize(1024, 2048);
        archive.logPersistentSubscriptionStateChange(State.INIT, State.CLOSED, 12, "aeron:ipc", 13, live, 14);
        archive.logPersistentSubscriptionJoinedLive(12, "aeron:ipc", 13, live, 14, -15, 64);
        archive.logPersistentSubscriptionLeftLive(12, "aeron:ipc", 13, live, 14, 64);
        print();
    }

    private void clusterEvents()
    {
        final TimeUnit unit = TimeUnit.MILLISECONDS;
        cluster.logElectionStateChange(1, State.INIT, State.CANVASS, 2, 3, 4, 5, 6, 7, 8, "a reason");
        cluster.logElectionStateChange(1, null, State.INIT, 2, 3, 4, 5, 6, 7, 8, "r".repeat(400));
        cluster.logOnNewLeadershipTerm(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x010203, true);
        cluster.logStateChange(ClusterEventCode.STATE_CHANGE, 1, State.INIT, State.CLOSED, "a reason");
        cluster.logStateChange(ClusterEventCode.ROLE_CHANGE, 1, State.INIT, State.CLOSED, "");
        cluster.logStateChange(ClusterEventCode.CLUSTER_BACKUP_STATE_CHANGE, -1, State.INIT, State.CLOSED, "");
        cluster.logOnCanvassPosition(1, 2, 3, 4, 5, 0x010203);
        cluster.logOnRequestVote(1, 2, 3, 4, 5, 0x010203);
        cluster.logOnVote(1, 2, 3, 4, 5, 6, true);
        cluster.logOnCatchupPosition(1, 2, 3, 4, "localhost:9003");
        cluster.logOnStopCatchup(1, 2, 3);
        cluster.logOnTruncateLogEntry(1, State.CANVASS, 2, 3, 4, 5, 6, 7, 8, 9);
        cluster.logOnReplayNewLeadershipTermEvent(1, true, 2, 3, 4, 5, unit, 6);
        cluster.logOnAppendPosition(1, 2, 3, 4, (short)0x81);
        cluster.logOnCommitPosition(1, 2, 3, 4);
        cluster.logAppendSessionClose(1, 2, CloseReason.TIMEOUT, 3, 4, unit);
        cluster.logAppendSessionOpen(1, 2, 3, 4, 5, unit);
        cluster.logTerminationPosition(1, 2, 3);
        cluster.logTerminationAck(1, 2, 3, 4);
        cluster.logServiceAck(1, 2, 3, unit, 4, 5, 6);
        cluster.logReplicationEnded(1, "STANDBY", "aeron:udp?endpoint=localhost:8080", 2, 3, 4, true);
        cluster.logStandbySnapshotNotification(1, 2, 3, 4, 5, 6, unit, 7, "localhost:8080");
        cluster.logNewElection(1, 2, 3, 4, "a reason");
        cluster.logNewElection(1, 2, 3, 4, "r".repeat(400));
        cluster.logClusterSessionStateChange(
            1, 2, Action.CONSENSUS_MODULE_STARTUP, State.INIT, State.CLOSED, "a reason");
        cluster.logSnapshotEntryInvalidation(1, 2, 3, 4, 5);
        print();
    }
}
