import io.aeron.*;
import io.aeron.logbuffer.BufferClaim;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

/** A client of a mixed run: tests/mixed/clients.py describes commands and events, messages.h the messages. */
public final class StreamClient
{
    static final int HEADER_LENGTH = 32;
    static final int FRAME_HEADER_LENGTH = 32;
    static final int MAX_LENGTH = 5056;
    static final long REPORT_INTERVAL_NS = 500_000_000L;
    static final byte[] PATTERN = new byte[8192];

    static
    {
        for (int i = 0; i < PATTERN.length; i++)
        {
            PATTERN[i] = (byte)(i * 7 + (i >> 8));
        }
    }

    static int length(final long sequence)
    {
        final int mixed = (int)((sequence * 2654435761L & 0xFFFFFFFFL) >> 8);
        return HEADER_LENGTH + mixed % (sequence % 16 == 15 ? 5000 : 225);
    }

    static int checksum(final byte[] message, final int length)
    {
        final CRC32 crc = new CRC32();
        crc.update(message, 0, 28);
        crc.update(message, HEADER_LENGTH, length - HEADER_LENGTH);
        return (int)crc.getValue();
    }

    /** A publication, and the number of its next message. */
    static final class Publisher
    {
        final Publication shared;
        final ExclusivePublication exclusive;
        final long publisher;
        final long intervalNs;
        final int maxPayloadLength;
        final byte[] bytes = new byte[MAX_LENGTH];
        final UnsafeBuffer message = new UnsafeBuffer(bytes);
        final BufferClaim claim = new BufferClaim();
        long sequence;
        long previousStart = -1;
        long dueNs = System.nanoTime();

        Publisher(final Publication publication, final long publisher, final long intervalUs)
        {
            exclusive = publication instanceof ExclusivePublication ? (ExclusivePublication)publication : null;
            shared = publication;
            this.publisher = publisher;
            intervalNs = intervalUs * 1000;
            maxPayloadLength = publication.maxPayloadLength();
        }

        int publish(final long nowNs)
        {
            if (nowNs - dueNs < 0)
            {
                return 0;
            }
            final int length = length(sequence);
            message.putLong(0, publisher);
            message.putLong(8, sequence);
            message.putLong(16, previousStart);
            message.putInt(24, length);
            message.putBytes(HEADER_LENGTH, PATTERN, (int)(sequence % 1024), length - HEADER_LENGTH);
            message.putInt(28, checksum(bytes, length));
            final long position;
            if (sequence % 4 == 0 && length <= maxPayloadLength)
            {
                position = shared.tryClaim(length, claim);
                if (position > 0)
                {
                    claim.buffer().putBytes(claim.offset(), message, 0, length);
                    claim.commit();
                }
            }
            else
            {
                position = shared.offer(message, 0, length);
            }
            if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED)
            {
                throw new IllegalStateException("offer: " + position);
            }
            if (position <= 0)
            {
                return 0;
            }
            final int rest = length % maxPayloadLength;
            previousStart = position - (long)(length / maxPayloadLength) * (maxPayloadLength + FRAME_HEADER_LENGTH) -
                (rest > 0 ? rest + FRAME_HEADER_LENGTH + 31 & ~31 : 0);
            sequence++;
            dueNs = Math.max(dueNs, nowNs - 10 * intervalNs) + intervalNs;
            return 1;
        }
    }

    /** A subscription, and the next message of each publisher by image. */
    static final class Subscriber
    {
        final int name;
        final boolean isReliable;
        final Map<Long, Map<Long, Long>> expected = new HashMap<>();
        final FragmentAssembler assembler = new FragmentAssembler(
            (buffer, offset, length, header) -> check((Image)header.context(), buffer, offset, length));
        final byte[] bytes = new byte[MAX_LENGTH];
        final UnsafeBuffer message = new UnsafeBuffer(bytes);
        Subscription subscription;
        long messages;
        long received;
        long gaps;
        String fault;

        Subscriber(final int name, final boolean isReliable)
        {
            this.name = name;
            this.isReliable = isReliable;
        }

        void fail(final String what, final long publisher, final long wanted, final long found)
        {
            if (null == fault)
            {
                fault = what + ": publisher " + publisher + ": expected " + wanted + ", found " + found;
                Program.print("fault", "name", name, "text", fault);
            }
        }

        void check(final Image image, final DirectBuffer buffer, final int offset, final int length)
        {
            if (length < HEADER_LENGTH || length > MAX_LENGTH || buffer.getInt(offset + 24) != length)
            {
                fail("length", -1, -1, length);
                return;
            }
            buffer.getBytes(offset, bytes, 0, length);
            final long publisher = message.getLong(0);
            final long sequence = message.getLong(8);
            if (message.getInt(28) != checksum(bytes, length))
            {
                fail("checksum", publisher, message.getInt(28), checksum(bytes, length));
                return;
            }
            messages++;
            received += length;
            final Map<Long, Long> ofImage =
                expected.computeIfAbsent(image.correlationId(), (ignored) -> new TreeMap<>());
            final Long wanted = ofImage.put(publisher, sequence + 1);
            if (null == wanted)
            {
                if (isReliable && message.getLong(16) >= image.joinPosition())
                {
                    fail("lost after the join position", publisher, sequence - 1, sequence);
                }
            }
            else if (sequence < wanted)
            {
                fail("repeated or reordered", publisher, wanted, sequence);
            }
            else if (sequence > wanted)
            {
                gaps++;
                if (isReliable)
                {
                    fail("lost", publisher, wanted, sequence);
                }
            }
        }
    }

    /** An image that has ended; the conductor's thread adds it. */
    static final class Ended
    {
        final Subscriber subscriber;
        final Image image;

        Ended(final Subscriber subscriber, final Image image)
        {
            this.subscriber = subscriber;
            this.image = image;
        }
    }

    static final Map<Integer, Publisher> PUBLISHERS = new TreeMap<>();
    static final Map<Integer, Subscriber> SUBSCRIBERS = new TreeMap<>();
    static final Queue<Ended> ENDED = new ConcurrentLinkedQueue<>();
    static final Queue<String> LINES = new ConcurrentLinkedQueue<>();
    static long closedMessages;
    static long closedBytes;
    static long closedGaps;
    static Aeron aeron;

    static String object(final Map<?, ?> values)
    {
        final StringJoiner joiner = new StringJoiner(",", "{", "}");
        values.forEach((key, value) -> joiner.add("\"" + key + "\":" + value));
        return joiner.toString();
    }

    static void add(final String[] parts)
    {
        final int name = Integer.parseInt(parts[1]);
        final int streamId = Integer.parseInt(parts[3]);
        if (parts[0].equals("sub"))
        {
            final Subscriber subscriber = new Subscriber(name, parts[4].equals("1"));
            subscriber.subscription = aeron.addSubscription(
                parts[2], streamId, (image) -> {}, (image) -> ENDED.add(new Ended(subscriber, image)));
            for (int i = 5; i < parts.length; i++)
            {
                subscriber.subscription.addDestination(parts[i]);
            }
            SUBSCRIBERS.put(name, subscriber);
            Program.print("added", "name", name);
        }
        else
        {
            final Publication publication = parts[4].equals("exclusive") ?
                aeron.addExclusivePublication(parts[2], streamId) : aeron.addPublication(parts[2], streamId);
            for (int i = 7; i < parts.length; i++)
            {
                publication.addDestination(parts[i]);
            }
            PUBLISHERS.put(name, new Publisher(publication, Long.parseLong(parts[5]), Long.parseLong(parts[6])));
            Program.print("added", "name", name, "session", publication.sessionId());
        }
    }

    static void remove(final int name)
    {
        final Publisher publisher = PUBLISHERS.remove(name);
        if (null != publisher)
        {
            publisher.shared.close();
            Program.print("removed", "name", name, "sent", publisher.sequence);
        }
        final Subscriber subscriber = SUBSCRIBERS.remove(name);
        if (null != subscriber)
        {
            subscriber.subscription.close();
            closedMessages += subscriber.messages;
            closedBytes += subscriber.received;
            closedGaps += subscriber.gaps;
            Program.print("removed", "name", name);
        }
    }

    static void report()
    {
        final Map<Integer, Long> sent = new TreeMap<>();
        PUBLISHERS.forEach((name, publisher) -> sent.put(name, publisher.sequence));
        final Map<Integer, String> next = new TreeMap<>();
        long messages = closedMessages;
        long bytes = closedBytes;
        long gaps = closedGaps;
        for (final Subscriber subscriber : SUBSCRIBERS.values())
        {
            final Map<Long, Long> all = new TreeMap<>();
            subscriber.expected.values().forEach(all::putAll);
            next.put(subscriber.name, object(all));
            messages += subscriber.messages;
            bytes += subscriber.received;
            gaps += subscriber.gaps;
        }
        Program.print(
            "progress", "sent", object(sent), "next", object(next), "messages", messages, "bytes", bytes,
            "gaps", gaps);
    }

    static int endImages()
    {
        int count = 0;
        for (Ended ended = ENDED.poll(); null != ended; ended = ENDED.poll())
        {
            final Subscriber subscriber = ended.subscriber;
            final Map<Long, Long> next = subscriber.expected.remove(ended.image.correlationId());
            if (SUBSCRIBERS.get(subscriber.name) == subscriber)
            {
                Program.print(
                    "ended", "name", subscriber.name, "session", ended.image.sessionId(),
                    "next", object(null == next ? Map.of() : next));
            }
            count++;
        }
        return count;
    }

    static boolean readLines()
    {
        for (String line = LINES.poll(); null != line; line = LINES.poll())
        {
            final String[] parts = line.split(" ");
            switch (parts[0])
            {
                case "pub":
                case "sub":
                    add(parts);
                    break;
                case "remove":
                    remove(Integer.parseInt(parts[1]));
                    break;
                default:
                    return false;
            }
        }
        return true;
    }

    static void startReader()
    {
        final Thread reader = new Thread(() ->
        {
            try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in)))
            {
                for (String line = input.readLine(); null != line; line = input.readLine())
                {
                    LINES.add(line);
                }
            }
            catch (final Exception ex)
            {
                ex.printStackTrace();
            }
            LINES.add("close");
        });
        reader.setDaemon(true);
        reader.start();
    }

    public static void main(final String[] argv)
    {
        final Map<String, String> a = Program.args(argv);
        startReader();
        final Aeron.Context context = new Aeron.Context()
            .aeronDirectoryName(a.get("dir")).clientName("java")
            .errorHandler((error) ->
            {
                error.printStackTrace();
                Program.print("error", "message", error);
                if (error instanceof io.aeron.exceptions.TimeoutException)
                {
                    Runtime.getRuntime().halt(1);
                }
            });
        try (Aeron client = Aeron.connect(context))
        {
            aeron = client;
            Program.print("READY");
            long reportAt = System.nanoTime();
            while (readLines())
            {
                final long nowNs = System.nanoTime();
                int work = endImages();
                for (final Subscriber subscriber : SUBSCRIBERS.values())
                {
                    work += subscriber.subscription.poll(subscriber.assembler, 50);
                }
                for (final Publisher publisher : PUBLISHERS.values())
                {
                    work += publisher.publish(nowNs);
                }
                if (nowNs - reportAt >= 0)
                {
                    reportAt = nowNs + REPORT_INTERVAL_NS;
                    report();
                }
                if (work == 0)
                {
                    LockSupport.parkNanos(500_000);
                }
            }
            new ArrayList<>(PUBLISHERS.keySet()).forEach(StreamClient::remove);
            new ArrayList<>(SUBSCRIBERS.keySet()).forEach(StreamClient::remove);
            report();
        }
        Program.print("CLOSED");
        Runtime.getRuntime().halt(0);
    }
}
