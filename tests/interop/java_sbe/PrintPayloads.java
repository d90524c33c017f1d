import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import uk.co.real_logic.sbe.ir.Ir;
import uk.co.real_logic.sbe.json.JsonPrinter;
import uk.co.real_logic.sbe.xml.IrGenerator;
import uk.co.real_logic.sbe.xml.ParserOptions;
import uk.co.real_logic.sbe.xml.XmlSchemaParser;

/** Decodes payloads, one per line in hex, with the real SBE and a schema; prints a line of JSON for each. */
public class PrintPayloads {
    public static void main(final String[] args) throws Exception {
        final Ir ir;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(Paths.get(args[0])))) {
            ir = new IrGenerator().generate(XmlSchemaParser.parse(in, ParserOptions.DEFAULT));
        }
        final JsonPrinter printer = new JsonPrinter(ir);
        final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            final StringBuilder out = new StringBuilder();
            printer.print(out, new UnsafeBuffer(HexFormat.of().parseHex(line)), 0);
            System.out.println(out.toString().replace('\n', ' '));
        }
    }
}
