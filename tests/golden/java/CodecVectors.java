import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Prints a line of JSON for each message of Aeron's schemas and each set of values: the bytes that the
 * real encoder writes, and the values that the real decoder reads from them. Further lines have the bytes of an
 * older and of a newer sender, with the values that the real decoder reads from those.
 */
public final class CodecVectors
{
    private static final Map<String, String> SCHEMAS = new LinkedHashMap<>();

    static
    {
        SCHEMAS.put("io.aeron.archive.codecs", "archive");
        SCHEMAS.put("io.aeron.archive.codecs.mark", "archive_mark");
        SCHEMAS.put("io.aeron.cluster.codecs", "cluster");
        SCHEMAS.put("io.aeron.cluster.codecs.mark", "cluster_mark");
        SCHEMAS.put("io.aeron.cluster.codecs.node", "node_state");
    }

    private static final int CAPACITY = 64 * 1024;
    private static final int LONG_PART = 200;

    /** How the values of a vector are chosen. */
    private enum Values
    {
        ZEROS(0), COUNTING(1), HIGH(3), LOW(3), NULLS(0);

        private final int groupCount;

        Values(final int groupCount)
        {
            this.groupCount = groupCount;
        }
    }

    public static void main(final String[] args) throws Exception
    {
        final PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
        for (final Map.Entry<String, String> schema : SCHEMAS.entrySet())
        {
            for (final Class<?> encoder : messages(schema.getKey()))
            {
                final Message message = new Message(schema.getValue(), encoder);
                for (final Values values : Values.values())
                {
                    message.print(out, values);
                }
                message.printOtherVersions(out);
            }
        }
        out.flush();
    }

    private static List<Class<?>> messages(final String packageName) throws Exception
    {
        final Path jar = Path.of(io.aeron.Aeron.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        final Map<Integer, Class<?>> byTemplate = new TreeMap<>();
        try (JarFile file = new JarFile(jar.toFile()))
        {
            final String folder = packageName.replace('.', '/') + "/";
            for (final String name : file.stream().map(java.util.zip.ZipEntry::getName).toList())
            {
                if (name.startsWith(folder) && name.endsWith("Encoder.class") &&
                    name.indexOf('/', folder.length()) < 0 && name.indexOf('$') < 0)
                {
                    final Class<?> type = Class.forName(name.substring(0, name.length() - 6).replace('/', '.'));
                    if (Arrays.stream(type.getFields()).anyMatch((f) -> f.getName().equals("TEMPLATE_ID")))
                    {
                        byTemplate.put(constant(type, "TEMPLATE_ID"), type);
                    }
                }
            }
        }
        return new ArrayList<>(byTemplate.values());
    }

    private static int constant(final Class<?> type, final String name) throws ReflectiveOperationException
    {
        return type.getField(name).getInt(null);
    }

    private static Object call(final Object target, final String name, final Object... arguments)
        throws ReflectiveOperationException
    {
        final Class<?> type = target instanceof Class ? (Class<?>)target : target.getClass();
        for (final Method method : type.getMethods())
        {
            if (method.getName().equals(name) && accepts(method.getParameterTypes(), arguments))
            {
                method.setAccessible(true);
                try
                {
                    return method.invoke(target instanceof Class ? null : target, arguments);
                }
                catch (final InvocationTargetException ex)
                {
                    throw new IllegalStateException(type + "." + name, ex.getCause());
                }
            }
        }
        throw new NoSuchMethodException(type + "." + name);
    }

    private static boolean accepts(final Class<?>[] parameters, final Object[] arguments)
    {
        if (parameters.length != arguments.length)
        {
            return false;
        }
        for (int i = 0; i < parameters.length; i++)
        {
            final Class<?> given = arguments[i].getClass();
            final boolean fits = parameters[i].isPrimitive() ?
                parameters[i] == primitive(given) : parameters[i].isAssignableFrom(given);
            if (!fits)
            {
                return false;
            }
        }
        return true;
    }

    private static Class<?> primitive(final Class<?> boxed)
    {
        return boxed == Long.class ? long.class : boxed == Integer.class ? int.class :
            boxed == Short.class ? short.class : boxed == Byte.class ? byte.class : Object.class;
    }

    private static boolean has(final Class<?> type, final String name)
    {
        return Arrays.stream(type.getMethods()).anyMatch((m) -> m.getName().equals(name));
    }

    /** The fields, groups and variable parts of an encoder, in their order on the wire. */
    private static final class Layout
    {
        final Class<?> encoder;
        final List<String> fields = new ArrayList<>();
        final List<String> groups = new ArrayList<>();
        final List<String> data = new ArrayList<>();

        Layout(final Class<?> encoder) throws ReflectiveOperationException
        {
            this.encoder = encoder;
            final Map<Integer, String> byId = new TreeMap<>();
            for (final Method method : encoder.getMethods())
            {
                if (Modifier.isStatic(method.getModifiers()) && method.getName().endsWith("Id") &&
                    method.getParameterCount() == 0)
                {
                    final String name = method.getName().substring(0, method.getName().length() - 2);
                    byId.put(((Number)method.invoke(null)).intValue(), name);
                }
            }
            for (final String name : byId.values())
            {
                if (has(encoder, name + "EncodingOffset"))
                {
                    fields.add(name);
                }
                else if (has(encoder, name + "Count"))
                {
                    groups.add(name);
                }
                else
                {
                    data.add(name);
                }
            }
            final Map<String, Integer> offsets = new TreeMap<>();
            for (final String name : fields)
            {
                offsets.put(name, (Integer)call(encoder, name + "EncodingOffset"));
            }
            fields.sort(Comparator.comparing(offsets::get));
        }

        int since(final String name) throws ReflectiveOperationException
        {
            return (Integer)call(encoder, name + "SinceVersion");
        }

        int end(final String name) throws ReflectiveOperationException
        {
            return (Integer)call(encoder, name + "EncodingOffset") + (Integer)call(encoder, name + "EncodingLength");
        }

        Method setter(final String name)
        {
            return Arrays.stream(encoder.getMethods())
                .filter((m) -> m.getName().equals(name) && m.getParameterCount() == 1).findFirst().orElseThrow();
        }

        boolean isText(final String name)
        {
            return has(encoder, name + "CharacterEncoding");
        }
    }

    /** One message of one schema. */
    private static final class Message
    {
        final String schema;
        final String name;
        final Layout layout;
        final Class<?> decoderType;
        final Class<?> headerType;
        final int headerLength;
        int salt;

        Message(final String schema, final Class<?> encoder) throws ReflectiveOperationException
        {
            this.schema = schema;
            this.name = encoder.getSimpleName().replaceAll("Encoder$", "");
            this.layout = new Layout(encoder);
            this.decoderType = Class.forName(encoder.getName().replaceAll("Encoder$", "Decoder"));
            this.headerType = Class.forName(encoder.getPackageName() + ".MessageHeaderEncoder");
            this.headerLength = constant(headerType, "ENCODED_LENGTH");
        }

        void print(final PrintStream out, final Values values) throws Exception
        {
            salt = 0;
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[CAPACITY]);
            final int length = encode(buffer, values);
            final int blockLength = constant(layout.encoder, "BLOCK_LENGTH");
            final int version = constant(layout.encoder, "SCHEMA_VERSION");
            printLine(out, values.name().toLowerCase(), buffer, length, blockLength, version);
        }

        /** The bytes of senders before each change of the message, and of a newer sender. */
        void printOtherVersions(final PrintStream out) throws Exception
        {
            salt = 0;
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[CAPACITY]);
            final int length = encode(buffer, Values.COUNTING);
            final int blockLength = constant(layout.encoder, "BLOCK_LENGTH");
            final TreeMap<Integer, Boolean> changes = new TreeMap<>();
            for (final String item : layout.fields)
            {
                changes.put(layout.since(item), true);
            }
            for (final String item : layout.data)
            {
                changes.put(sinceOfData(item), true);
            }
            changes.remove(0);
            for (final int change : changes.keySet())
            {
                final int version = change - 1;
                int oldBlockLength = 0;
                boolean isWholeBlock = true;
                for (final String field : layout.fields)
                {
                    if (layout.since(field) <= version)
                    {
                        oldBlockLength = Math.max(oldBlockLength, layout.end(field));
                    }
                    else
                    {
                        isWholeBlock = false;
                    }
                }
                oldBlockLength = isWholeBlock ? blockLength : oldBlockLength;
                int limit = length;
                for (int i = layout.data.size() - 1; i >= 0 && sinceOfData(layout.data.get(i)) > version; i--)
                {
                    limit -= 4 + part(Values.COUNTING, layout.data.get(i), 0).length;
                }
                printResized(out, "version " + version, buffer, limit, blockLength, oldBlockLength, version);
            }
            final int newer = constant(layout.encoder, "SCHEMA_VERSION") + 1;
            printResized(out, "newer", buffer, length, blockLength, blockLength + 8, newer);
        }

        private void printResized(
            final PrintStream out,
            final String values,
            final UnsafeBuffer buffer,
            final int length,
            final int blockLength,
            final int newBlockLength,
            final int version) throws Exception
        {
            final UnsafeBuffer resized = new UnsafeBuffer(new byte[CAPACITY]);
            resized.putBytes(0, buffer, 0, headerLength + Math.min(blockLength, newBlockLength));
            for (int i = blockLength; i < newBlockLength; i++)
            {
                resized.putByte(headerLength + i, (byte)0xEE);
            }
            final int rest = length - headerLength - blockLength;
            resized.putBytes(headerLength + newBlockLength, buffer, headerLength + blockLength, rest);
            final int newLength = headerLength + newBlockLength + rest;
            final Object header = headerType.getConstructor().newInstance();
            call(header, "wrap", resized, 0);
            call(header, "blockLength", newBlockLength);
            call(header, "version", version);
            putFrameLength(header, newLength);
            printLine(out, values, resized, newLength, newBlockLength, version);
        }

        private int sinceOfData(final String item) throws ReflectiveOperationException
        {
            return (Integer)call(decoderType, item + "SinceVersion");
        }

        private void putFrameLength(final Object header, final int length) throws ReflectiveOperationException
        {
            if (has(headerType, "frameLength"))
            {
                call(header, "frameLength", length);
                call(header, "padding", 0);
            }
        }

        private int encode(final UnsafeBuffer buffer, final Values values) throws Exception
        {
            final Object header = headerType.getConstructor().newInstance();
            final Object encoder = layout.encoder.getConstructor().newInstance();
            call(encoder, "wrapAndApplyHeader", buffer, 0, header);
            put(encoder, layout, values, 0);
            final int length = headerLength + (Integer)call(encoder, "encodedLength");
            putFrameLength(header, length);
            return length;
        }

        private void put(final Object encoder, final Layout items, final Values values, final int index)
            throws Exception
        {
            for (final String field : items.fields)
            {
                items.setter(field).invoke(encoder, value(items, field, values));
            }
            for (final String group : items.groups)
            {
                final Object entries = call(encoder, group + "Count", values.groupCount);
                final Layout entry = new Layout(entries.getClass());
                for (int i = 0; i < values.groupCount; i++)
                {
                    call(entries, "next");
                    put(entries, entry, values, i);
                }
            }
            for (final String item : items.data)
            {
                final byte[] bytes = part(values, item, index);
                final String method = "put" + Character.toUpperCase(item.charAt(0)) + item.substring(1);
                call(encoder, method, bytes, 0, bytes.length);
            }
        }

        private Object value(final Layout items, final String field, final Values values) throws Exception
        {
            final Class<?> type = items.setter(field).getParameterTypes()[0];
            salt++;
            if (type.isEnum())
            {
                final Object[] constants = type.getEnumConstants();
                final int last = constants.length - 1; // is NULL_VAL
                return constants[values == Values.NULLS ? last : values == Values.ZEROS ? 0 :
                    values == Values.COUNTING ? salt % last : last - 1];
            }
            return switch (values)
            {
                case ZEROS -> number(type, 0);
                case COUNTING -> number(type, (salt % 3 == 0 ? -1 : 1) * (0x0102030405060708L + salt * 0x11L));
                case HIGH -> call(items.encoder, field + "MaxValue");
                case LOW -> call(items.encoder, field + "MinValue");
                case NULLS -> call(items.encoder, field + "NullValue");
            };
        }

        private static Object number(final Class<?> type, final long value)
        {
            return type == long.class ? (Object)value : type == int.class ? (Object)(int)value :
                type == short.class ? (Object)(short)(value & 0xFF) : (Object)(byte)value;
        }

        private static byte[] part(final Values values, final String item, final int index)
        {
            return switch (values)
            {
                case ZEROS -> new byte[0];
                case COUNTING -> item.getBytes(StandardCharsets.US_ASCII);
                case HIGH -> "0123456789".repeat(LONG_PART / 10).getBytes(StandardCharsets.US_ASCII);
                case LOW -> "x".repeat(index).getBytes(StandardCharsets.US_ASCII);
                case NULLS -> new byte[]{0, 9, 10, 13, 34, 92, 127};
            };
        }

        private void printLine(
            final PrintStream out,
            final String values,
            final UnsafeBuffer buffer,
            final int length,
            final int blockLength,
            final int version) throws Exception
        {
            final Object decoder = decoderType.getConstructor().newInstance();
            call(decoder, "wrap", buffer, headerLength, blockLength, version);
            final StringBuilder json = new StringBuilder();
            json.append("{\"schema\":\"").append(schema).append("\",\"message\":\"").append(name)
                .append("\",\"values\":\"").append(values).append("\",\"read\":");
            read(json, decoder, layout);
            final byte[] bytes = new byte[length];
            buffer.getBytes(0, bytes);
            json.append(",\"hex\":\"").append(hex(bytes)).append("\"}");
            out.append(json).append('\n');
        }

        private void read(final StringBuilder json, final Object decoder, final Layout items) throws Exception
        {
            json.append('{');
            for (final String field : items.fields)
            {
                final boolean isEnum = has(decoder.getClass(), field + "Raw");
                name(json, field).append(call(decoder, isEnum ? field + "Raw" : field));
            }
            for (final String group : items.groups)
            {
                final Object entries = call(decoder, group);
                final Layout entry = new Layout(Class.forName(
                    entries.getClass().getName().replace("Decoder", "Encoder")));
                name(json, group).append('[');
                while ((Boolean)call(entries, "hasNext"))
                {
                    call(entries, "next");
                    json.append(json.charAt(json.length() - 1) == '[' ? "" : ",");
                    read(json, entries, entry);
                }
                json.append(']');
            }
            for (final String item : items.data)
            {
                final byte[] bytes = new byte[(Integer)call(decoder, item + "Length")];
                call(decoder, "get" + Character.toUpperCase(item.charAt(0)) + item.substring(1), bytes, 0, bytes.length);
                name(json, item).append(items.isText(item) ? "{\"text\":\"" : "{\"data\":\"").append(hex(bytes))
                    .append("\"}");
            }
            json.append('}');
        }

        private static StringBuilder name(final StringBuilder json, final String item)
        {
            json.append(json.charAt(json.length() - 1) == '{' ? "" : ",");
            return json.append('"').append(item).append("\":");
        }

        private static String hex(final byte[] bytes)
        {
            final StringBuilder text = new StringBuilder();
            for (final byte b : bytes)
            {
                text.append(String.format("%02x", b));
            }
            return text.toString();
        }
    }
}
