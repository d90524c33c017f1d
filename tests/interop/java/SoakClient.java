import io.aeron.Aeron;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.cluster.client.EgressListener;
import io.aeron.driver.MediaDriver;
import io.aeron.logbuffer.Header;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.*;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.TimeUnit;

/** A client of a soak: uses the reference service, and writes its history as tests/soak/client.py does. */
public final class SoakClient implements EgressListener
{
    static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
    static final int LENGTH = 32;
    static final long NEVER = Long.MAX_VALUE;
    static final long ANSWER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private static final class Operation
    {
        final byte[] request;
        long sentNs = -1, answeredNs = -1, answer;
        int answerCount;

        Operation(final byte[] request)
        {
            this.request = request;
        }
    }

    private final Map<String, String> a;
    private final int number, maxWaiting;
    private final long intervalNs;
    private final Random random;
    private final List<Operation> operations = new ArrayList<>();
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
    private long nextNs, lastAnswerNs = -1, reportAtNs, keepAliveAtNs, stopAtNs = NEVER, seen;
    private int answered, sessions;
    private Operation pending;

    public static void main(final String[] argv) throws Exception
    {
        final Map<String, String> a = Program.args(argv);
        final SoakClient client = new SoakClient(a);
        client.run();
        client.write();
        Program.print("CLOSED");
        Runtime.getRuntime().halt(0);
    }

    SoakClient(final Map<String, String> a)
    {
        this.a = a;
        number = Integer.parseInt(a.get("number"));
        maxWaiting = Integer.parseInt(a.get("maxWaiting"));
        intervalNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(a.get("intervalMs")));
        random = new Random(Long.parseLong(a.get("seed")) * 1000 + number);
    }

    private void run() throws Exception
    {
        final IdleStrategy idle = Program.idle("backoff");
        while (!isDone())
        {
            try (MediaDriver driver = MediaDriver.launch(Program.driver(a));
                Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName())))
            {
                while (!isDone() && !aeron.isClosed())
                {
                    try (AeronCluster cluster = connect(aeron))
                    {
                        sessions++;
                        Program.print("connected", "session", cluster.clusterSessionId(), "leader", cluster.leaderMemberId());
                        while (!isDone() && !cluster.isClosed())
                        {
                            idle.idle(pass(cluster));
                        }
                    }
                    catch (final RuntimeException ex)
                    {
                        Program.print("lost", "why", ex.toString());
                    }
                    waiting.clear();
                    pending = null;
                    report();
                    Thread.sleep(100);
                }
            }
        }
    }

    private AeronCluster connect(final Aeron aeron)
    {
        return AeronCluster.connect(new AeronCluster.Context()
            .egressListener(this).aeron(aeron).ownsAeronClient(false)
            .ingressChannel("aeron:udp").ingressEndpoints(a.get("endpoints"))
            .egressChannel("aeron:udp?endpoint=" + a.get("host") + ":0")
            .messageTimeoutNs(TimeUnit.SECONDS.toNanos(5)));
    }

    private int pass(final AeronCluster cluster)
    {
        // Read before the offer: the noted time is never after the real time of the request.
        final long nowNs = System.nanoTime();
        int work = cluster.pollEgress();
        if (nowNs - keepAliveAtNs >= 0 && cluster.sendKeepAlive())
        {
            keepAliveAtNs = nowNs + TimeUnit.SECONDS.toNanos(1);
        }
        while (!waiting.isEmpty() && operations.get(waiting.peek()).sentNs + ANSWER_TIMEOUT_NS < nowNs)
        {
            waiting.poll();
        }
        if (null == pending && NEVER == stopAtNs && waiting.size() < maxWaiting && nowNs >= nextNs)
        {
            nextNs = nowNs + 1 + (long)(random.nextDouble() * 2 * intervalNs);
            pending = draw();
            operations.add(pending);
        }
        if (null != pending && cluster.offer(new UnsafeBuffer(pending.request), 0, pending.request.length) > 0)
        {
            pending.sentNs = nowNs;
            waiting.add(operations.size() - 1);
            pending = null;
            work++;
        }
        report();
        return work;
    }

    /** Draws a request; no two write the same value, as in tests/soak/load.py. */
    private Operation draw()
    {
        final int verb = random.nextInt(8);
        final long value = (long)(number + 1) << 40 | operations.size();
        final byte[] data = new byte[LENGTH + random.nextInt(200)];
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        buffer.putInt(0, number, LE);
        buffer.putInt(4, operations.size(), LE);
        buffer.putByte(8, (byte)verb);
        buffer.putLong(16, verb == 2 ? seen : verb == 6 ? 1 + random.nextInt(3000) : value, LE);
        buffer.putLong(24, value, LE);
        return new Operation(data);
    }

    public void onMessage(
        final long clusterSessionId, final long timestamp, final DirectBuffer b, final int offset, final int length,
        final Header header)
    {
        lastAnswerNs = System.nanoTime();
        final int index = b.getInt(offset + 4, LE);
        final Operation operation = operations.get(index);
        if (0 == operation.answerCount++)
        {
            answered++;
            operation.answeredNs = lastAnswerNs;
            operation.answer = b.getLong(offset + 8, LE);
        }
        waiting.remove(index);
        final UnsafeBuffer request = new UnsafeBuffer(operation.request);
        switch (request.getByte(8))
        {
            case 0: seen = request.getLong(16, LE); break;
            case 1: seen = operation.answer; break;
            case 2: seen = 0 == operation.answer ? seen : request.getLong(24, LE); break;
            default: break;
        }
    }

    private boolean isDone()
    {
        return NEVER != stopAtNs && (waiting.isEmpty() && null == pending || System.nanoTime() - stopAtNs > 2 * ANSWER_TIMEOUT_NS);
    }

    private void report()
    {
        final long nowNs = System.nanoTime();
        if (nowNs < reportAtNs)
        {
            return;
        }
        reportAtNs = nowNs + TimeUnit.MILLISECONDS.toNanos(250);
        Program.print("progress", "asked", operations.size(), "answered", answered, "lastAnswerNs", lastAnswerNs,
            "sessions", sessions);
        try
        {
            if (NEVER == stopAtNs && System.in.available() > 0)
            {
                stopAtNs = nowNs;
            }
        }
        catch (final IOException ex)
        {
            stopAtNs = nowNs;
        }
    }

    private void write() throws IOException
    {
        final List<String> lines = new ArrayList<>();
        for (final Operation each : operations)
        {
            final StringBuilder hex = new StringBuilder();
            for (final byte b : each.request)
            {
                hex.append(String.format("%02x", b));
            }
            lines.add("{\"request\": \"" + hex + "\", \"sent_ns\": " + each.sentNs + ", \"answered_ns\": " + each.answeredNs +
                ", \"answer\": " + each.answer + ", \"answer_count\": " + each.answerCount + "}");
        }
        Files.write(Path.of(a.get("history")), lines);
    }
}
