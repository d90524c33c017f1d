package io.aeron.archive;

import io.aeron.FragmentAssembler;
import io.aeron.cluster.codecs.*;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * Reads an archive's directory with the archive's own catalog and reader, and prints each frame, each message and,
 * of a cluster's log, each entry, as JSON lines. It is in the archive's package for these two classes.
 *
 * <p>archiveDir recordingId=(all) log=(the id of a recording that is a cluster's log)
 */
public final class RecordedRows
{
    static final PrintStream OUT = new PrintStream(
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false, StandardCharsets.UTF_8);
    static final MessageHeaderDecoder MESSAGE_HEADER = new MessageHeaderDecoder();

    public static void main(final String[] argv)
    {
        final Map<String, String> a = new HashMap<>();
        for (final String s : argv)
        {
            final int i = s.indexOf('=');
            if (i < 1)
            {
                System.err.println("expected key=value, got: " + s);
                System.exit(2);
            }
            a.put(s.substring(0, i), s.substring(i + 1));
        }
        final File archiveDir = new File(a.get("archiveDir"));
        final long log = Long.parseLong(a.getOrDefault("log", "-1"));
        try (Catalog catalog = new Catalog(archiveDir, SystemEpochClock.INSTANCE))
        {
            final List<Long> ids = new ArrayList<>();
            catalog.forEach((offset, headerEncoder, header, encoder, descriptor) -> ids.add(descriptor.recordingId()));
            for (final long id : ids)
            {
                if (!a.containsKey("recordingId") || id == Long.parseLong(a.get("recordingId")))
                {
                    read(archiveDir, catalog.recordingSummary(id, new RecordingSummary()), id == log);
                }
            }
        }
        print("end");
        OUT.flush();
    }

    static void read(final File archiveDir, final RecordingSummary summary, final boolean isLog)
    {
        print("recording", "recording_id", summary.recordingId, "start_position", summary.startPosition,
            "stop_position", summary.stopPosition, "stream_id", summary.streamId, "session_id", summary.sessionId);
        if (summary.startPosition == summary.stopPosition)
        {
            return;
        }
        final Header header = new Header(
            summary.initialTermId, LogBufferDescriptor.positionBitsToShift(summary.termBufferLength));
        // A member in catch-up may record the start of a message from a replay and the rest from its leader, with
        // different session ids, which the assembler would treat as two messages. A replay has one id for all.
        final UnsafeBuffer replayed = new UnsafeBuffer(new byte[summary.termBufferLength]);
        final int[] beginSessionId = new int[1];
        final FragmentHandler onMessage = (buffer, offset, length, h) ->
        {
            final List<Object> row = row(summary, h, beginSessionId[0], buffer, offset, length);
            if (isLog)
            {
                addEntry(row, buffer, offset, length);
            }
            print("message", row.toArray());
        };
        final FragmentAssembler assembler = new FragmentAssembler(onMessage);
        try (RecordingReader reader = new RecordingReader(summary, archiveDir, -1, -1))
        {
            while (!reader.isDone())
            {
                reader.poll((buffer, offset, length, type, flags, reserved) ->
                {
                    if (type == DataHeaderFlyweight.HDR_TYPE_DATA)
                    {
                        header.buffer(buffer);
                        header.offset(offset - DataHeaderFlyweight.HEADER_LENGTH);
                        final int sessionId = header.sessionId();
                        print("frame", row(summary, header, sessionId, buffer, offset, length).toArray());
                        if ((flags & DataHeaderFlyweight.BEGIN_FLAG) == DataHeaderFlyweight.BEGIN_FLAG)
                        {
                            beginSessionId[0] = sessionId;
                        }
                        replayed.putBytes(0, buffer, header.offset(), DataHeaderFlyweight.HEADER_LENGTH + length);
                        replayed.putInt(
                            DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET, summary.sessionId, ByteOrder.LITTLE_ENDIAN);
                        header.buffer(replayed);
                        header.offset(0);
                        assembler.onFragment(replayed, DataHeaderFlyweight.HEADER_LENGTH, length, header);
                    }
                    else
                    {
                        print("other", "type", type, "frame_length", length + DataHeaderFlyweight.HEADER_LENGTH);
                    }
                }, 1);
            }
            print("recordingEnd", "recording_id", summary.recordingId, "position", reader.replayPosition());
        }
    }

    static List<Object> row(
        final RecordingSummary summary, final Header h, final int sessionId, final DirectBuffer buffer,
        final int offset, final int length)
    {
        final long position = LogBufferDescriptor.computePosition(
            h.termId(), h.termOffset(), h.positionBitsToShift(), h.initialTermId());
        return new ArrayList<>(List.of(
            "recording_id", summary.recordingId, "position", position, "end_position", h.position(),
            "term_id", h.termId(), "term_offset", h.termOffset(), "session_id", sessionId, "stream_id", h.streamId(),
            "flags", h.flags() & 0xFF, "reserved_value", h.reservedValue(), "frame_length", h.frameLength(),
            "payload", hex(buffer, offset, length)));
    }

    static void addEntry(final List<Object> row, final DirectBuffer buffer, final int offset, final int length)
    {
        MESSAGE_HEADER.wrap(buffer, offset);
        add(row, "template_id", MESSAGE_HEADER.templateId());
        switch (MESSAGE_HEADER.templateId())
        {
            case SessionMessageHeaderDecoder.TEMPLATE_ID:
            {
                final SessionMessageHeaderDecoder d = new SessionMessageHeaderDecoder();
                d.wrapAndApplyHeader(buffer, offset, MESSAGE_HEADER);
                final int head = MessageHeaderDecoder.ENCODED_LENGTH + MESSAGE_HEADER.blockLength();
                add(row, "message_type", "SessionMessage", "leadership_term_id", d.leadershipTermId(),
                    "cluster_session_id", d.clusterSessionId(), "timestamp_raw", d.timestamp(),
                    "sent", hex(buffer, offset + head, length - head));
                break;
            }
            case SessionOpenEventDecoder.TEMPLATE_ID:
            {
                final SessionOpenEventDecoder d = new SessionOpenEventDecoder();
                d.wrapAndApplyHeader(buffer, offset, MESSAGE_HEADER);
                add(row, "message_type", "SessionOpenEvent", "leadership_term_id", d.leadershipTermId(),
                    "cluster_session_id", d.clusterSessionId(), "timestamp_raw", d.timestamp(),
                    "correlation_id", d.correlationId(), "session_open.correlation_id", d.correlationId(),
                    "session_open.response_stream_id", d.responseStreamId());
                final String channel = d.responseChannel();
                final byte[] principal = new byte[d.encodedPrincipalLength()];
                d.getEncodedPrincipal(principal, 0, principal.length);
                add(row, "session_open.response_channel", channel,
                    "session_open.encoded_principal", HexFormat.of().formatHex(principal));
                break;
            }
            case SessionCloseEventDecoder.TEMPLATE_ID:
            {
                final SessionCloseEventDecoder d = new SessionCloseEventDecoder();
                d.wrapAndApplyHeader(buffer, offset, MESSAGE_HEADER);
                add(row, "message_type", "SessionCloseEvent", "leadership_term_id", d.leadershipTermId(),
                    "cluster_session_id", d.clusterSessionId(), "timestamp_raw", d.timestamp(),
                    "session_close.close_reason", d.closeReason());
                break;
            }
            case TimerEventDecoder.TEMPLATE_ID:
            {
                final TimerEventDecoder d = new TimerEventDecoder();
                d.wrapAndApplyHeader(buffer, offset, MESSAGE_HEADER);
                add(row, "message_type", "TimerEvent", "leadership_term_id", d.leadershipTermId(),
                    "timestamp_raw", d.timestamp(), "correlation_id", d.correlationId(),
                    "timer.correlation_id", d.correlationId());
                break;
            }
            case ClusterActionRequestDecoder.TEMPLATE_ID:
            {
                final ClusterActionRequestDecoder d = new ClusterActionRequestDecoder();
                d.wrapAndApplyHeader(buffer, offset, MESSAGE_HEADER);
                add(row, "message_type", "ClusterActionRequest", "leadership_term_id", d.leadershipTermId(),
                    "timestamp_raw", d.timestamp(), "cluster_action.log_position", d.logPosition(),
                    "cluster_action.action", d.action(), "cluster_action.flags", d.flags());
                break;
            }
            case NewLeadershipTermEventDecoder.TEMPLATE_ID:
            {
                final NewLeadershipTermEventDecoder d = new NewLeadershipTermEventDecoder();
                d.wrapAndApplyHeader(buffer, offset, MESSAGE_HEADER);
                add(row, "message_type", "NewLeadershipTermEvent", "leadership_term_id", d.leadershipTermId(),
                    "timestamp_raw", d.timestamp(), "new_leadership_term.log_position", d.logPosition(),
                    "new_leadership_term.term_base_log_position", d.termBaseLogPosition(),
                    "new_leadership_term.leader_member_id", d.leaderMemberId(),
                    "new_leadership_term.log_session_id", d.logSessionId(),
                    "new_leadership_term.time_unit", d.timeUnit(),
                    "new_leadership_term.app_version", d.appVersion());
                break;
            }
            default:
                add(row, "message_type", "Unknown");
        }
    }

    static void add(final List<Object> row, final Object... kv)
    {
        row.addAll(Arrays.asList(kv));
    }

    static String hex(final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** No value printed here contains a quote or a backslash. */
    static void print(final String event, final Object... kv)
    {
        final StringBuilder sb = new StringBuilder(256);
        sb.append("{\"event\":\"").append(event).append('"');
        for (int i = 0; i < kv.length; i += 2)
        {
            final Object v = kv[i + 1];
            sb.append(",\"").append(kv[i]).append("\":");
            if (v instanceof Number)
            {
                sb.append(v);
            }
            else
            {
                sb.append('"').append(v).append('"');
            }
        }
        OUT.println(sb.append('}'));
    }
}
