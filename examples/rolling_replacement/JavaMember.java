import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.archive.Archive;
import io.aeron.cluster.ClusteredMediaDriver;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.codecs.CloseReason;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.aeron.driver.MediaDriver;
import io.aeron.logbuffer.Header;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.ShutdownSignalBarrier;
import org.agrona.concurrent.UnsafeBuffer;

/** A member of a cluster that keeps a sum; all its options are properties. */
public final class JavaMember
{
    public static void main(final String[] args)
    {
        try (ShutdownSignalBarrier barrier = new ShutdownSignalBarrier();
            ClusteredMediaDriver driver = ClusteredMediaDriver.launch(
                new MediaDriver.Context().dirDeleteOnStart(true),
                new Archive.Context(),
                new ConsensusModule.Context());
            ClusteredServiceContainer container = ClusteredServiceContainer.launch(
                new ClusteredServiceContainer.Context().clusteredService(new Total())))
        {
            barrier.await();
        }
    }

    /** The service; total.py is the same in Python. */
    static final class Total implements ClusteredService
    {
        private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Long.BYTES]);
        private Cluster cluster;
        private long sum;

        public void onStart(final Cluster cluster, final Image snapshotImage)
        {
            this.cluster = cluster;
            while (snapshotImage != null && !snapshotImage.isEndOfStream() && !snapshotImage.isClosed())
            {
                cluster.idleStrategy().idle(snapshotImage.poll(
                    (message, offset, length, header) -> sum = message.getLong(offset, ByteOrder.LITTLE_ENDIAN), 1));
            }
        }

        public void onSessionMessage(
            final ClientSession session, final long timestamp,
            final DirectBuffer message, final int offset, final int length, final Header header)
        {
            sum += message.getLong(offset, ByteOrder.LITTLE_ENDIAN);
            buffer.putLong(0, sum, ByteOrder.LITTLE_ENDIAN);
            long result;
            do
            {
                result = session.offer(buffer, 0, Long.BYTES);
                cluster.idleStrategy().idle(result > 0 ? 1 : 0);
            }
            while (result == io.aeron.Publication.BACK_PRESSURED || result == io.aeron.Publication.ADMIN_ACTION);
        }

        public void onTakeSnapshot(final ExclusivePublication snapshotPublication)
        {
            buffer.putLong(0, sum, ByteOrder.LITTLE_ENDIAN);
            while (snapshotPublication.offer(buffer, 0, Long.BYTES) < 0)
            {
                cluster.idleStrategy().idle();
            }
        }

        public void onSessionOpen(final ClientSession session, final long timestamp)
        {
        }

        public void onSessionClose(final ClientSession session, final long timestamp, final CloseReason reason)
        {
        }

        public void onTimerEvent(final long correlationId, final long timestamp)
        {
        }

        public void onRoleChange(final Cluster.Role newRole)
        {
        }

        public void onTerminate(final Cluster cluster)
        {
        }
    }
}
