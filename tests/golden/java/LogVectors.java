import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.protocol.DataHeaderFlyweight;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Prints a line of JSON for each of a list of logs: the operations on a publication of an embedded
 * driver, the result of each call, and the bytes that a subscriber read.
 */
public final class LogVectors
{
    private static final int TERM_LENGTH = 64 * 1024;
    private static final int STREAM_ID = 1001;

    private static final String PLAIN =
        "offer 0|offer 1|offer 32|offer 33|offer 1376|offer 1377|offer 4000|two 10 20|two 1000 900|" +
        "three 5 1 1500|claim 7 commit|claim 40 abort|claim 64 flags|offer 8192";
    private static final String PADDED = PLAIN + "|pad 0|pad 1|pad 100|offer 9|pad 2000|offer 8|block 100|offer 3";

    private static int sessionId = -77;
    private static int messages;

    public static void main(final String[] args) throws Exception
    {
        final PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
        final Path directory = Files.createTempDirectory("log-vectors");
        final MediaDriver.Context context = new MediaDriver.Context()
            .aeronDirectoryName(directory.toString())
            .threadingMode(ThreadingMode.SHARED)
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true);
        try (MediaDriver driver = MediaDriver.launch(context);
            Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory.toString())))
        {
            for (final String kind : new String[]{ "concurrent", "exclusive" })
            {
                final boolean isExclusive = kind.equals("exclusive");
                run(out, aeron, directory, isExclusive, 0, 0, 0, isExclusive ? PADDED : PLAIN, false);
                run(out, aeron, directory, isExclusive, 5, 9, 64, isExclusive ? PADDED : PLAIN, true);
                // Across the end of a term, and of the largest term id.
                final String trip = "offer 100|offer 100|offer 3000|offer 3000|offer 32";
                run(out, aeron, directory, isExclusive, 7, 7, TERM_LENGTH - 1024, trip, false);
                run(out, aeron, directory, isExclusive, Integer.MAX_VALUE - 1, Integer.MIN_VALUE + 1,
                    TERM_LENGTH - 2048, trip, false);
                // Exactly to the end of the term, and then past it.
                run(out, aeron, directory, isExclusive, -3, -2, TERM_LENGTH - 128, "offer 96|offer 0|offer 1", false);
                run(out, aeron, directory, isExclusive, -3, -2, TERM_LENGTH - 128,
                    "claim 90 commit|claim 1 commit|claim 1 abort", false);
                // The end of the stream.
                run(out, aeron, directory, isExclusive, 0, Integer.MAX_VALUE, TERM_LENGTH - 256, "offer 96|offer 500",
                    false);
            }
            run(out, aeron, directory, true, 1, 3, TERM_LENGTH - 256, "pad 96|pad 500|pad 20|block 64", false);
            run(out, aeron, directory, true, 1, 1, TERM_LENGTH - 128, "block 96|block 32|offer 5", false);
        }
        out.flush();
    }

    private static void run(
        final PrintStream out,
        final Aeron aeron,
        final Path directory,
        final boolean isExclusive,
        final int initialTermId,
        final int termId,
        final int termOffset,
        final String operations,
        final boolean hasReservedValue) throws Exception
    {
        messages = 0;
        sessionId--;
        final String channel = "aeron:ipc?term-length=64k|mtu=1408|session-id=" + sessionId + "|init-term-id=" +
            initialTermId + "|term-id=" + termId + "|term-offset=" + termOffset;
        final StringBuilder done = new StringBuilder();
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        try (Subscription subscription = aeron.addSubscription("aeron:ipc", STREAM_ID);
            Publication publication = isExclusive ?
                aeron.addExclusivePublication(channel, STREAM_ID) : aeron.addPublication(channel, STREAM_ID))
        {
            while (subscription.imageCount() == 0 || publication.availableWindow() <= 0)
            {
                Thread.yield();
            }
            final Image image = subscription.imageAtIndex(0);
            for (final String operation : operations.split("\\|"))
            {
                long result;
                do
                {
                    result = perform(publication, operation, hasReservedValue);
                    if (done.length() > 0)
                    {
                        done.append(",");
                    }
                    done.append("[\"").append(operation).append("\",").append(result).append("]");
                }
                while (result == Publication.ADMIN_ACTION);
            }
            int length;
            do
            {
                length = image.blockPoll(
                    (buffer, offset, blockLength, blockSessionId, blockTermId) ->
                    {
                        final byte[] block = new byte[blockLength];
                        buffer.getBytes(offset, block);
                        stream.writeBytes(block);
                    },
                    TERM_LENGTH);
            }
            while (length > 0);
            final byte[] file = Files.readAllBytes(
                directory.resolve("publications/" + publication.originalRegistrationId() + ".logbuffer"));
            final byte[] metadata = Arrays.copyOfRange(file, file.length - 4096, file.length - 4096 + 508);
            out.println("{\"kind\":\"" + (isExclusive ? "exclusive" : "concurrent") +
                "\",\"session_id\":" + sessionId + ",\"stream_id\":" + STREAM_ID +
                ",\"initial_term_id\":" + initialTermId + ",\"term_id\":" + termId +
                ",\"term_offset\":" + termOffset + ",\"has_reserved_value\":" + hasReservedValue +
                ",\"operations\":[" + done + "],\"tails\":\"" + hex(metadata, 0, 24) +
                "\",\"active_term_count\":\"" + hex(metadata, 24, 4) +
                "\",\"shape\":\"" + hex(metadata, 264, 20) + "\",\"default_header\":\"" + hex(metadata, 320, 32) +
                "\",\"type\":" + metadata[497] + ",\"stream\":\"" + hex(stream.toByteArray(), 0, stream.size()) +
                "\"}");
        }
    }

    private static long perform(
        final Publication publication, final String operation, final boolean hasReservedValue)
    {
        final String[] words = operation.split(" ");
        final int length = Integer.parseInt(words[1]);
        switch (words[0])
        {
            case "offer":
                return hasReservedValue ?
                    publication.offer(message(length), 0, length, LogVectors::reservedValue) :
                    publication.offer(message(length), 0, length);

            case "two":
            {
                final DirectBuffer first = message(length);
                final DirectBuffer second = message(Integer.parseInt(words[2]));
                return hasReservedValue ?
                    publication.offer(
                        first, 0, first.capacity(), second, 0, second.capacity(), LogVectors::reservedValue) :
                    publication.offer(first, 0, first.capacity(), second, 0, second.capacity());
            }

            case "three":
            {
                final io.aeron.DirectBufferVector[] vectors = new io.aeron.DirectBufferVector[3];
                for (int i = 0; i < 3; i++)
                {
                    final DirectBuffer part = message(Integer.parseInt(words[i + 1]));
                    vectors[i] = new io.aeron.DirectBufferVector(part, 0, part.capacity());
                }
                return hasReservedValue ?
                    publication.offer(vectors, LogVectors::reservedValue) : publication.offer(vectors);
            }

            case "claim":
            {
                final BufferClaim claim = new BufferClaim();
                final long result = publication.tryClaim(length, claim);
                if (result > 0)
                {
                    claim.buffer().putBytes(claim.offset(), message(length), 0, length);
                    if (words[2].equals("flags"))
                    {
                        claim.flags((byte)0x80);
                        claim.reservedValue(-9);
                    }
                    if (words[2].equals("abort"))
                    {
                        claim.abort();
                    }
                    else
                    {
                        claim.commit();
                    }
                }
                return result;
            }

            case "pad":
                return ((ExclusivePublication)publication).appendPadding(length);

            case "block":
                return offerBlock((ExclusivePublication)publication, length);

            default:
                throw new IllegalArgumentException(operation);
        }
    }

    private static long offerBlock(final ExclusivePublication publication, final int length)
    {
        final boolean isAtEnd = publication.termOffset() == TERM_LENGTH;
        final int termId = isAtEnd ? publication.termId() + 1 : publication.termId();
        final int termOffset = isAtEnd ? 0 : publication.termOffset();
        final int aligned = (length + 32 + 31) / 32 * 32;
        final DataHeaderFlyweight header = new DataHeaderFlyweight();
        final UnsafeBuffer block = new UnsafeBuffer(new byte[aligned]);
        header.wrap(block, 0, 32);
        header.frameLength(length + 32);
        header.flags((short)0xC0);
        header.headerType(DataHeaderFlyweight.HDR_TYPE_DATA);
        header.termOffset(termOffset);
        header.sessionId(sessionId);
        header.streamId(STREAM_ID);
        header.termId(termId);
        header.reservedValue(length);
        block.putBytes(32, message(length), 0, length);
        return publication.offerBlock(block, 0, aligned);
    }

    /** The bytes of a message of a length; only created messages count. */
    private static UnsafeBuffer message(final int length)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[length]);
        messages++;
        for (int i = 0; i < length; i++)
        {
            buffer.putByte(i, (byte)(messages * 31 + i));
        }
        return buffer;
    }

    private static long reservedValue(final DirectBuffer term, final int termOffset, final int frameLength)
    {
        return termOffset * 100_000L + frameLength;
    }

    private static String hex(final byte[] bytes, final int offset, final int length)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = offset; i < offset + length; i++)
        {
            text.append(String.format("%02x", bytes[i]));
        }
        return text.toString();
    }
}
