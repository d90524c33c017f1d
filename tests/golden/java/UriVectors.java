import io.aeron.ChannelUri;
import io.aeron.ChannelUriStringBuilder;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints a line of JSON for each of a list of channel URIs, good and bad: the result of ChannelUri.parse for
 * it, and that of ChannelUriStringBuilder, or the error that each raises.
 */
public final class UriVectors
{
    private static final String[] WHOLE = {
        "aeron:udp", "aeron:ipc", "aeron-spy:aeron:udp?endpoint=localhost:20121", "aeron-spy:aeron:ipc",
        "aeron:udp?endpoint=localhost:20121", "aeron:udp?control=localhost:1|control-mode=dynamic",
        "aeron:udp?control-mode=manual|control=localhost:1",
        "aeron:udp?endpoint=[::1]:20121|interface=[::1]/64", "aeron:ipc?alias=", "aeron:ipc?alias=a=b",
        "aeron:ipc?alias=one|alias=two", "aeron:ipc?alias=a b?c:d",
        "aeron:udp?endpoint=a:1|stream-id=7|mtu=1408|tags=3,4|session-id=-5|alias=x|linger=5s",
        "aeron:udp?pub-wnd=128k|max-resend=7|untethered-resting-timeout=9s|untethered-linger-timeout=8s" +
            "|untethered-window-limit-timeout=7us|nak-delay=100us|response-correlation-id=prototype" +
            "|response-endpoint=h:2|channel-snd-ts-offset=reserved|channel-rcv-ts-offset=8" +
            "|media-rcv-ts-offset=0|rcv-wnd=1m|so-rcvbuf=2m|so-sndbuf=4k|ssc=true|rejoin=false|group=true" +
            "|tether=false|eos=true|sparse=false|gtag=-9|fc=tagged,g:1,t:5s|cc=cubic|alias=all|linger=5s" +
            "|reliable=false|ttl=4|session-id=tag:77|term-offset=64|term-id=6|init-term-id=5" +
            "|term-length=64k|mtu=8k|control-mode=response|control=c:1|interface=localhost|endpoint=e:1" +
            "|tags=1,2",
        "", "aeron", "aeron:", "udp?endpoint=a:1", "AERON:udp", "aeron:tcp", "aeron:udp:", "aeron:ud=p",
        "aeron:u|dp", "aeron:udp?", "aeron:udp?endpoint", "aeron:udp?=x", "aeron:udp?endpoint=a:1|",
        "aeron:udp?endpoint=a:1||mtu=8k", "aeron:udp?endpoint=a:1|mtu", "aeron:udp?end|point=a:1",
        "aeron-spy:udp", "aeron-spy:aeron-spy:aeron:ipc", " aeron:ipc", "aeron:ipc?x", "aeron:ipc?|",
        "aeron:ipc?alias=" + "x".repeat(4095 - 16), "aeron:ipc?alias=" + "x".repeat(4096 - 16),
    };

    private static final String[][] VALUES = {
        {"mtu", "", "0", "31", "32", "64", "100", "1408", "1k", "1K", "8k", "65504", "65536", "1m", "x", "-32", "+32",
            "32 ", "32b", "2g", "9223372036854775808", "8589934592g"},
        {"term-length", "65536", "64k", "65537", "32k", "1g", "2g", "1G", "", "k", "0"},
        {"ttl", "0", "255", "256", "-1", "x", "", "1k"},
        {"linger", "0", "1", "1ns", "1us", "1ms", "1s", "1S", "1MS", "1m", "1h", "s", "ms", "", "-1", "1.5s", "1 s"},
        {"nak-delay", "100us", "-1", "x"},
        {"so-rcvbuf", "0", "2147483647", "2g", "x"},
        {"session-id", "0", "-2147483648", "2147483647", "2147483648", "x", "", "tag:1", "tag:", "tag:x"},
        {"stream-id", "0", "-1", "x", "2147483648"},
        {"gtag", "0", "-9223372036854775808", "9223372036854775808", "x", ""},
        {"max-resend", "1", "x", ""},
        {"response-correlation-id", "-1", "-2", "0", "prototype", "x", ""},
        {"media-rcv-ts-offset", "reserved", "0", "8", "x", ""},
        {"control-mode", "manual", "dynamic", "response", "none", "", "Manual"},
        {"init-term-id", "5"}, {"term-id", "x"}, {"term-offset", "31", "-32", "32"},
    };

    public static void main(final String[] args)
    {
        final PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
        final List<String> uris = new ArrayList<>(List.of(WHOLE));
        for (final String[] values : VALUES)
        {
            for (int i = 1; i < values.length; i++)
            {
                uris.add("aeron:udp?endpoint=a:1|control=b:2|" + values[0] + "=" + values[i]);
            }
        }
        for (final int termId : new int[]{5, 6, 4, Integer.MIN_VALUE, Integer.MAX_VALUE})
        {
            uris.add("aeron:ipc?init-term-id=5|term-offset=64|term-id=" + termId);
        }
        uris.add("aeron:ipc?init-term-id=5|term-offset=65536|term-id=5|term-length=64k");
        uris.add("aeron:ipc?init-term-id=5|term-offset=65568|term-id=5|term-length=64k");
        for (final String uri : uris)
        {
            out.append("{\"uri\":").append(quote(uri)).append(outcome(uri)).append("}\n");
        }
        out.flush();
    }

    private static String outcome(final String uri)
    {
        final ChannelUri parsed;
        try
        {
            parsed = ChannelUri.parse(uri);
        }
        catch (final RuntimeException ex)
        {
            return ",\"parseError\":" + quote(String.valueOf(ex));
        }
        final Map<String, String> params = new TreeMap<>();
        parsed.forEachParameter(params::put);
        final StringBuilder json = new StringBuilder(",\"media\":" + quote(parsed.media()) +
            ",\"isSpy\":" + ChannelUri.SPY_QUALIFIER.equals(parsed.prefix()) + ",\"params\":{");
        params.forEach((key, value) ->
            json.append(json.charAt(json.length() - 1) == '{' ? "" : ",").append(quote(key)).append(':').append(quote(value)));
        json.append('}');
        try
        {
            final String built = new ChannelUriStringBuilder(parsed).validate().build();
            return json + ",\"built\":" + quote(built);
        }
        catch (final RuntimeException ex)
        {
            return json + ",\"buildError\":" + quote(String.valueOf(ex));
        }
    }

    private static String quote(final String text)
    {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
