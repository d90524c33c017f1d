import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastReceiver;
import org.agrona.concurrent.broadcast.BroadcastTransmitter;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

import java.io.File;
import java.util.Map;

/**
 * One end of a ring or broadcast buffer in a file: what=produce|consume|transmit|receive file kind=many|one
 * producer=0 count seconds=30. A message has its writer, its number, and a body computed from both; see
 * tests/native/shared_structures.pyx. Prints READY, then a result.
 */
public final class SharedBuffers
{
    static final int MAX_LENGTH = 128;

    final long[] next = new long[8];
    long seen;
    long wrong;

    public static void main(final String[] argv)
    {
        final Map<String, String> a = Program.args(argv);
        final AtomicBuffer buffer = new UnsafeBuffer(IoUtil.mapExistingFile(new File(a.get("file")), "buffer"));
        final long count = Long.parseLong(a.get("count"));
        final long producer = Long.parseLong(a.getOrDefault("producer", "0"));
        final boolean many = "many".equals(a.getOrDefault("kind", "many"));
        final long deadline = System.nanoTime() + 1_000_000_000L * Long.parseLong(a.getOrDefault("seconds", "30"));
        final SharedBuffers end = new SharedBuffers();
        switch (a.get("what"))
        {
            case "produce": end.produce(ring(buffer, many), producer, count, deadline); break;
            case "consume": end.consume(ring(buffer, many), count, deadline); break;
            case "transmit": end.transmit(new BroadcastTransmitter(buffer), count); break;
            case "receive": end.receive(new BroadcastReceiver(buffer), count, deadline); break;
            default: System.exit(2);
        }
        System.out.printf("{\"event\":\"result\",\"seen\":%d,\"wrong\":%d}%n", end.seen, end.wrong);
    }

    static RingBuffer ring(final AtomicBuffer buffer, final boolean many)
    {
        return many ? new ManyToOneRingBuffer(buffer) : new OneToOneRingBuffer(buffer);
    }

    static int compose(final UnsafeBuffer message, final long producer, final long number)
    {
        final int length = (int)(16 + (number * 7 + producer) % (MAX_LENGTH - 16));
        message.putLong(0, producer);
        message.putLong(8, number);
        for (int i = 16; i < length; i++)
        {
            message.putByte(i, (byte)(producer + number * 3 + i));
        }
        return length;
    }

    final UnsafeBuffer expected = new UnsafeBuffer(new byte[MAX_LENGTH]);

    boolean isMessage(
        final DirectBuffer buffer, final int offset, final int length, final long producer, final long number)
    {
        final int expectedLength = compose(expected, producer, number);
        if (length != expectedLength)
        {
            return false;
        }
        for (int i = 0; i < length; i++)
        {
            if (buffer.getByte(offset + i) != expected.getByte(i))
            {
                return false;
            }
        }
        return true;
    }

    void produce(final RingBuffer ring, final long producer, final long count, final long deadline)
    {
        System.out.println("{\"event\":\"READY\"}");
        final UnsafeBuffer message = new UnsafeBuffer(new byte[MAX_LENGTH]);
        while (seen < count && System.nanoTime() < deadline)
        {
            final int length = compose(message, producer, seen);
            if (seen % 3 == 1)
            {
                final int index = ring.tryClaim((int)producer + 1, length);
                if (index > 0)
                {
                    ring.buffer().putBytes(index, message, 0, length);
                    ring.commit(index);
                    seen++;
                    continue;
                }
            }
            else if (ring.write((int)producer + 1, message, 0, length))
            {
                seen++;
                continue;
            }
            Thread.yield();
        }
    }

    void consume(final RingBuffer ring, final long count, final long deadline)
    {
        System.out.println("{\"event\":\"READY\"}");
        while (seen < count && System.nanoTime() < deadline)
        {
            final int read = ring.read((type, buffer, index, length) ->
            {
                final int producer = type - 1;
                if (isMessage(buffer, index, length, producer, next[producer]))
                {
                    next[producer]++;
                }
                else
                {
                    wrong++;
                }
            }, 16);
            seen += read;
            if (0 == read)
            {
                Thread.yield();
            }
        }
    }

    void transmit(final BroadcastTransmitter transmitter, final long count)
    {
        System.out.println("{\"event\":\"READY\"}");
        final UnsafeBuffer message = new UnsafeBuffer(new byte[MAX_LENGTH]);
        while (seen < count)
        {
            transmitter.transmit(1, message, 0, compose(message, 0, seen));
            if (++seen % 20 == 0)
            {
                Thread.yield();
            }
        }
    }

    /** For a transmitter that waits for the reported progress: Agrona's receiver cannot recover from being lapped. */
    void receive(final BroadcastReceiver receiver, final long count, final long deadline)
    {
        System.out.println("{\"event\":\"READY\"}");
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[MAX_LENGTH]);
        while (seen < count && System.nanoTime() < deadline)
        {
            if (!receiver.receiveNext())
            {
                Thread.yield();
                continue;
            }
            final int length = receiver.length();
            if (length < 0 || length > MAX_LENGTH)
            {
                wrong++;
                return;
            }
            copy.putBytes(0, receiver.buffer(), receiver.offset(), length);
            if (!receiver.validate() || receiver.lappedCount() != 0 || !isMessage(copy, 0, length, 0, seen))
            {
                wrong++;
                return;
            }
            if (++seen % 500 == 0)
            {
                System.out.printf("{\"event\":\"progress\",\"seen\":%d}%n", seen);
            }
        }
    }
}
