import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ClusterBackup;
import io.aeron.cluster.ClusterBackupEventsListener;
import io.aeron.cluster.ClusterMember;
import io.aeron.cluster.RecordingLog;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.security.CredentialsSupplier;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.BackoffIdleStrategy;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A cluster backup with its driver and its archive; prints its listener's events as JSON lines; see README.md. */
public final class Backup
{
    static Map<String, String> a;

    public static void main(final String[] argv) throws Exception
    {
        a = Program.args(argv);
        final int portBase = Integer.parseInt(a.get("portBase"));
        final String dir = a.get("dir");
        final String base = a.get("base");
        final CountDownLatch stop = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
        {
            stop.countDown();
            await(done);
        }));
        final ErrorHandler errorHandler = (t) -> print("failure", "message", String.valueOf(t));

        MediaDriver driver = null;
        Archive archive = null;
        ClusterBackup backup = null;
        try
        {
            driver = MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(dir)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(idle())
                .termBufferSparseFile(true)
                .errorHandler(errorHandler));
            archive = Archive.launch(new Archive.Context()
                .aeronDirectoryName(dir)
                .archiveDir(new File(base, "archive"))
                .controlChannel("aeron:udp?endpoint=localhost:" + (portBase + 2))
                .localControlChannel("aeron:ipc")
                .replicationChannel("aeron:udp?endpoint=localhost:0")
                .recordingEventsEnabled(false)
                .segmentFileLength(Integer.parseInt(a.getOrDefault("segment", "16777216")))
                .threadingMode(ArchiveThreadingMode.SHARED)
                .idleStrategySupplier(Backup::idle)
                .errorHandler(errorHandler));
            final ClusterBackup.Context context = new ClusterBackup.Context();
            backup = ClusterBackup.launch(context
                .aeronDirectoryName(dir)
                .clusterDir(new File(base, "cluster"))
                .clusterConsensusEndpoints(a.get("endpoints"))
                .consensusChannel("aeron:udp?endpoint=localhost:" + portBase)
                .catchupEndpoint("localhost:" + (portBase + 1))
                .archiveContext(new AeronArchive.Context()
                    .aeronDirectoryName(dir)
                    .controlRequestChannel("aeron:ipc")
                    .controlResponseChannel("aeron:ipc"))
                .clusterArchiveContext(new AeronArchive.Context()
                    .aeronDirectoryName(dir)
                    .controlRequestChannel("aeron:udp?endpoint=localhost:" + (portBase + 2))
                    .controlResponseChannel("aeron:udp?endpoint=localhost:0"))
                .sourceType(ClusterBackup.SourceType.valueOf(a.getOrDefault("source", "ANY")))
                .clusterBackupIntervalNs(millis("intervalMs", 3_600_000))
                .clusterBackupResponseTimeoutNs(millis("responseMs", 5_000))
                .clusterBackupProgressTimeoutNs(millis("progressMs", 60_000))
                .clusterBackupCoolDownIntervalNs(millis("coolDownMs", 1_000))
                .credentialsSupplier(credentials())
                .idleStrategySupplier(Backup::idle)
                .eventsListener(new Listener(context))
                .errorHandler(errorHandler));
            print("READY", "pid", ProcessHandle.current().pid());
            stop.await();
        }
        finally
        {
            CloseHelper.quietCloseAll(backup, archive, driver);
            print("CLOSED");
            done.countDown();
        }
        Runtime.getRuntime().halt(0);
    }

    static final class Listener implements ClusterBackupEventsListener
    {
        private final ClusterBackup.Context context;
        private long reported = -1;

        Listener(final ClusterBackup.Context context)
        {
            this.context = context;
        }

        public void onBackupQuery()
        {
            print("query");
        }

        public void onPossibleFailure(final Exception ex)
        {
            print("failure", "message", String.valueOf(ex));
        }

        public void onBackupResponse(
            final ClusterMember[] members, final ClusterMember source, final List<RecordingLog.Snapshot> snapshots)
        {
            print("response", "members", ClusterMember.encodeAsString(members), "source", source.id(), "snapshots",
                snapshots.size());
        }

        public void onUpdatedRecordingLog(final RecordingLog log, final List<RecordingLog.Snapshot> snapshots)
        {
            print("updated", "entries", log.entries().size(), "snapshots", snapshots.size());
            // The position at the start of the live log is only in its counter.
            report(context.liveLogPositionCounter().get());
        }

        public void onLiveLogProgress(final long recordingId, final long counterId, final long position)
        {
            report(position);
        }

        private void report(final long position)
        {
            if (position > reported)
            {
                reported = position;
                print("progress", "position", position);
            }
        }
    }

    static CredentialsSupplier credentials()
    {
        return new CredentialsSupplier()
        {
            public byte[] encodedCredentials()
            {
                return a.getOrDefault("credentials", "").getBytes(StandardCharsets.US_ASCII);
            }

            public byte[] onChallenge(final byte[] challenge)
            {
                print("challenge", "text", new String(challenge, StandardCharsets.US_ASCII));
                return a.getOrDefault("answer", "").getBytes(StandardCharsets.US_ASCII);
            }
        };
    }

    static BackoffIdleStrategy idle()
    {
        return new BackoffIdleStrategy(1, 1, 1_000_000, 1_000_000);
    }

    static long millis(final String name, final long otherwise)
    {
        return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(a.getOrDefault(name, Long.toString(otherwise))));
    }

    static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await(20, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ignore)
        {
            Thread.currentThread().interrupt();
        }
    }

    static synchronized void print(final String event, final Object... pairs)
    {
        final StringBuilder line = new StringBuilder("{\"event\":\"").append(event).append('"');
        for (int i = 0; i < pairs.length; i += 2)
        {
            line.append(",\"").append(pairs[i]).append("\":");
            if (pairs[i + 1] instanceof Number)
            {
                line.append(pairs[i + 1]);
            }
            else
            {
                line.append('"').append(String.valueOf(pairs[i + 1])
                    .replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", " ")).append('"');
            }
        }
        System.out.println(line.append('}'));
    }
}
