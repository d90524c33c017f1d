import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.ResolutionEntryFlyweight;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Prints a line of JSON for each of a list of frames in which drivers announce names: its entries and its bytes. */
public final class ResolutionVectors
{
    private static final byte[] IP4 = { 10, 1, 2, (byte)200 };
    private static final byte[] ANY = { 0, 0, 0, 0 };
    private static final byte[] IP6 = { (byte)0xfe, (byte)0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, (byte)0xff };
    private static final short SELF = ResolutionEntryFlyweight.SELF_FLAG;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
    private final ResolutionEntryFlyweight entry = new ResolutionEntryFlyweight();
    private final StringBuilder entries = new StringBuilder();
    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    private int length = HeaderFlyweight.MIN_HEADER_LENGTH;

    public static void main(final String[] args)
    {
        new ResolutionVectors().run();
    }

    private void run()
    {
        print(); // without entries
        add(ANY, 8050, 0, SELF, "A");
        print();
        add(IP6, 65535, Integer.MAX_VALUE, SELF, "driver-with-IPv6");
        print();
        for (int nameLength = 1; nameLength <= 9; nameLength++)
        {
            add(nameLength % 2 == 0 ? IP4 : IP6, 1 + nameLength, nameLength * 1000, (short)0, "x".repeat(nameLength));
        }
        print();
        add(IP4, 1, 1, (short)0, "n".repeat(ResolutionEntryFlyweight.MAX_NAME_LENGTH));
        add(IP4, 2, 2, (short)0, "after it ~");
        print();
        out.flush();
    }

    private void add(final byte[] address, final int port, final int ageInMs, final short flags, final String name)
    {
        entry.wrap(buffer, length, buffer.capacity() - length);
        entry
            .resType(4 == address.length ?
                ResolutionEntryFlyweight.RES_TYPE_NAME_TO_IP4_MD : ResolutionEntryFlyweight.RES_TYPE_NAME_TO_IP6_MD)
            .flags(flags)
            .udpPort(port)
            .ageInMs(ageInMs)
            .putAddress(address)
            .putName(name.getBytes(StandardCharsets.US_ASCII));
        length += entry.entryLength();
        entries.append(entries.length() == 0 ? "" : ",").append("{\"name\":\"").append(name)
            .append("\",\"host\":\"").append(HexFormat.of().formatHex(address)).append("\",\"port\":").append(port)
            .append(",\"age_ms\":").append(ageInMs).append(",\"is_self\":").append(SELF == flags).append('}');
    }

    private void print()
    {
        new HeaderFlyweight(buffer)
            .headerType(HeaderFlyweight.HDR_TYPE_RES)
            .flags((short)0)
            .version(HeaderFlyweight.CURRENT_VERSION)
            .frameLength(length);
        final byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        out.append("{\"entries\":[").append(entries).append("],\"hex\":\"")
            .append(HexFormat.of().formatHex(bytes)).append("\"}\n");
        buffer.setMemory(0, buffer.capacity(), (byte)0);
        entries.setLength(0);
        length = HeaderFlyweight.MIN_HEADER_LENGTH;
    }
}
