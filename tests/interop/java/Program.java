import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import org.agrona.concurrent.*;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;

/** Shared parts of the programs: arguments, idle strategies, output, and the driver that some embed. */
final class Program
{
    static Map<String, String> args(final String[] argv)
    {
        final Map<String, String> map = new HashMap<>();
        for (final String s : argv)
        {
            final int i = s.indexOf('=');
            if (i < 1)
            {
                System.err.println("expected key=value, got: " + s);
                System.exit(2);
            }
            map.put(s.substring(0, i), s.substring(i + 1));
        }
        return map;
    }

    static IdleStrategy idle(final String name)
    {
        switch (name)
        {
            case "spin": return new BusySpinIdleStrategy();
            case "noop": return NoOpIdleStrategy.INSTANCE;
            case "yield": return new YieldingIdleStrategy();
            case "backoff": return new BackoffIdleStrategy();
            case "sleep": return new SleepingMillisIdleStrategy(1);
            default: throw new IllegalArgumentException("idle=" + name);
        }
    }

    static synchronized void print(final String event, final Object... kv)
    {
        final StringBuilder sb = new StringBuilder(128);
        sb.append("{\"t\":").append(System.currentTimeMillis()).append(",\"event\":\"").append(event).append('"');
        for (int i = 0; i < kv.length; i += 2)
        {
            final Object v = kv[i + 1];
            final boolean raw = v instanceof Number || v instanceof Boolean || String.valueOf(v).startsWith("{");
            sb.append(",\"").append(kv[i]).append("\":").append(raw ? v : '"' +
                String.valueOf(v).replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ") + '"');
        }
        System.out.println(sb.append('}'));
    }

    static String percentiles(final long[] values, final int n)
    {
        if (n == 0)
        {
            return "{}";
        }
        final long[] v = Arrays.copyOf(values, n);
        Arrays.sort(v);
        double sum = 0;
        for (final long x : v)
        {
            sum += x;
        }
        return String.format("{\"min\":%d,\"mean\":%.0f,\"p50\":%d,\"p90\":%d,\"p99\":%d,\"p999\":%d,\"p9999\":%d,\"max\":%d}",
            v[0], sum / n, at(v, .5), at(v, .9), at(v, .99), at(v, .999), at(v, .9999), v[n - 1]);
    }

    static long at(final long[] sorted, final double q)
    {
        return sorted[Math.min(sorted.length - 1, (int)(sorted.length * q))];
    }

    /** Writes round trips, little-endian int64 in ns, to the file PREFIX-RATE-RUN; nothing without a prefix. */
    static void writeTimes(final String prefix, final long rate, final int run, final long[] values, final int n)
    {
        if (null == prefix)
        {
            return;
        }
        final ByteBuffer buffer = ByteBuffer.allocate(n * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        buffer.asLongBuffer().put(values, 0, n);
        try
        {
            Files.write(Path.of(prefix + "-" + rate + "-" + run), buffer.array());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    static MediaDriver.Context driver(final Map<String, String> a)
    {
        final MediaDriver.Context ctx = new MediaDriver.Context()
            .threadingMode(ThreadingMode.valueOf(a.getOrDefault("threading", "SHARED").toUpperCase()))
            .dirDeleteOnStart(true).dirDeleteOnShutdown(true).warnIfDirectoryExists(false);
        if (a.containsKey("dir"))
        {
            ctx.aeronDirectoryName(a.get("dir"));
        }
        if (a.containsKey("mtu"))
        {
            ctx.mtuLength(Integer.parseInt(a.get("mtu"))).ipcMtuLength(Integer.parseInt(a.get("mtu")));
        }
        if (a.containsKey("sockbuf"))
        {
            final int n = Integer.parseInt(a.get("sockbuf"));
            ctx.socketRcvbufLength(n).socketSndbufLength(n).initialWindowLength(n);
        }
        if (a.containsKey("idle"))
        {
            final String i = a.get("idle");
            ctx.conductorIdleStrategy(idle(i)).senderIdleStrategy(idle(i)).receiverIdleStrategy(idle(i))
                .sharedIdleStrategy(idle(i)).sharedNetworkIdleStrategy(idle(i));
        }
        return ctx;
    }
}
