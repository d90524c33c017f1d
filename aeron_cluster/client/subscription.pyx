"""Subscriptions: the images of a stream, polled one after the other.

``io.aeron.Subscription``.
"""
cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport INT64_MAX, int32_t, int64_t

from aeron_cluster.client.image cimport Image, has_frames
from aeron_cluster.logbuffer.image_poller cimport controlled_poll, poll
from aeron_cluster.logbuffer.message_batch cimport MessageBatch, new_batch
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    store_release_i32,
    store_release_i64,
)

from aeron_cluster.errors import ClosedError, StateError


# Load the current list, and publish its version: earlier lists may be freed.
cdef inline const image_list *enter(subscription_poller *poller) noexcept nogil:
    # Pairs with the release in swap.
    cdef const image_list *images = <const image_list *>load_acquire_i64(&poller.current)
    if images != NULL and images.version != poller.seen_version:
        # Pairs with the acquire in reap: this thread no longer uses any earlier list.
        store_release_i64(&poller.seen_version, images.version)
    return images


cdef inline int32_t first_index(subscription_poller *poller, int32_t count) noexcept nogil:
    cdef int32_t first = poller.next_index
    if first >= count:
        first = 0
    poller.next_index = first + 1
    return first


# A poll of one image; passed as a constant, so that the compiler can call it directly.
ctypedef int (*image_poll)(
    image_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil


cdef inline int poll_images(
        subscription_poller *poller, image_poll poll_image, fragment_handler handler,
        void *context, int fragment_limit) except -1 nogil:
    cdef const image_list *images = enter(poller)
    cdef int32_t index
    cdef int found, total = 0
    if images == NULL:
        return 0
    index = first_index(poller, images.count)
    for _ in range(images.count):
        if total >= fragment_limit:
            break
        found = poll_image(images.pollers[index], handler, context, fragment_limit - total)
        if found == -1:
            return -1
        total += found
        index += 1
        if index == images.count:
            index = 0
    return total


cdef int subscription_poll(
        subscription_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil:
    return poll_images(poller, poll, handler, context, fragment_limit)


cdef int subscription_controlled_poll(
        subscription_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil:
    return poll_images(poller, controlled_poll, handler, context, fragment_limit)


cdef bint subscription_is_connected(subscription_poller *poller) noexcept nogil:
    cdef const image_list *images = enter(poller)
    cdef int32_t i
    if images == NULL:
        return False
    for i in range(images.count):
        if not load_acquire_i32(&images.pollers[i].is_closed):
            return True
    return False


cdef bint any_has_frames(const image_list *images) noexcept nogil:
    cdef int32_t i
    for i in range(images.count):
        if has_frames(images.pollers[i]):
            return True
    return False


@cython.final
cdef class ImageList:
    """An immutable list of the images of a subscription."""

    def __cinit__(self, tuple images not None, int64_t version):
        cdef Image image
        cdef Py_ssize_t index
        self.c.pollers = <image_poller **>PyMem_Malloc(
            max(1, len(images)) * sizeof(image_poller *))
        if self.c.pollers == NULL:
            raise MemoryError
        for index in range(len(images)):
            image = images[index]
            self.c.pollers[index] = &image.poller
        self.c.count = <int32_t>len(images)
        self.c.version = version
        self.images = images
        self.mappings = tuple([(<Image>each).hold() for each in images])

    def __dealloc__(self):
        PyMem_Free(self.c.pollers)


@cython.final
cdef class Subscription:
    """A stream that this client receives, from all publishers.

    Created by `Aeron.add_subscription`.

    Notes
    -----
    Only one thread may poll. All other members may be used by any thread.
    """

    def __init__(
            self, conductor, *, str channel not None, int32_t stream_id, int64_t registration_id,
            int32_t channel_status_id, available_image_handler=None,
            unavailable_image_handler=None, image_filter=None):
        self.conductor = conductor
        self.channel = channel
        self.stream_id = stream_id
        self.registration_id = registration_id
        self.channel_status_id = channel_status_id
        self.available_image_handler = available_image_handler
        self.unavailable_image_handler = unavailable_image_handler
        self.image_filter = image_filter
        self.retired = []
        self.current = ImageList((), 0)
        self.poller.current = &self.current.c

    cdef int pin(self) except -1:
        """Begin polling in a loop without the GIL; lists that it may use are retained."""
        if self.is_pinned:
            raise StateError(f"{self!r}: expected one poller without the GIL at a time")
        self.poller.seen_version = -1
        self.is_pinned = True
        return 0

    cdef int unpin(self) except -1:
        """End polling in a loop without the GIL."""
        self.is_pinned = False
        self.retired.clear()
        return 0

    def set_images(self, tuple images not None):
        """Replace the list of images. Called by the conductor at each change."""
        cdef ImageList before = self.current
        self.current = ImageList(images, before.c.version + 1)
        # Pairs with the acquire in enter.
        store_release_i64(&self.poller.current, <int64_t>&self.current.c)
        if self.is_pinned:
            self.retired.append(before)
            self.reap()

    def reap(self):
        """Free the lists that the pinned poller no longer uses; return whether all are freed."""
        # Pairs with the release in enter.
        cdef int64_t seen_version = load_acquire_i64(&self.poller.seen_version)
        self.retired = [
            each for each in self.retired if (<ImageList>each).c.version >= seen_version
        ]
        return not self.retired

    def count_filtered_image(self):
        """Count an image that its filter rejected. Called by the conductor."""
        self.filtered_image_count += 1

    def mark_closed(self):
        """Stop polling. Called by the conductor."""
        store_release_i32(&self.poller.is_closed, 1)

    def poll(self, handler, int fragment_limit=10):
        """Call ``handler`` for the received fragments, image by image, in order.

        Parameters
        ----------
        handler : Callable[[MessageView, Header], object]
            Called with the payload, in place and valid only during the call, and the header of
            each. A `FragmentAssembler` here calls its own handler with complete messages.
        fragment_limit : int
            The highest number for all images together. Each poll begins with another image.

        Returns
        -------
        int
            The number of fragments.

        Raises
        ------
        ClosedError
            If the subscription is closed.
        CorruptError
            If an image has an invalid frame: raised once, and that image is given up.
        BaseException
            Raised by the handler. The position advances past the fragment.

        Notes
        -----
        For one thread. Checks for fragments without the GIL, and acquires it once for all of them.
        """
        return self._poll(handler, fragment_limit, False)

    def controlled_poll(self, handler, int fragment_limit=10):
        """Poll with a handler that returns an `Action` for each fragment; otherwise as `poll`."""
        return self._poll(handler, fragment_limit, True)

    cdef int _poll(self, object handler, int fragment_limit, bint is_controlled) except -1:
        cdef ImageList images = self._enter()
        cdef int32_t index
        cdef int total = 0
        if self.batch is not None:
            self._release_batch()
        if images.c.count == 1:
            return (<Image>images.images[0]).poll_with(
                handler, INT64_MAX, fragment_limit, is_controlled)
        if not self._any(images):
            return 0
        index = first_index(&self.poller, images.c.count)
        for _ in range(images.c.count):
            if total >= fragment_limit:
                break
            if has_frames(images.c.pollers[index]):
                total += (<Image>images.images[index]).poll_with(
                    handler, INT64_MAX, fragment_limit - total, is_controlled)
            index += 1
            if index == images.c.count:
                index = 0
        return total

    def poll_batch(self, int message_limit=8192):
        """Return a batch of received messages of one image, without a call for each.

        Parameters
        ----------
        message_limit : int
            The highest number. Each poll begins with another image.

        Returns
        -------
        MessageBatch or None
            Their headers as columns of a NumPy array, their payloads in place; None if there are no
            messages. Fragments of a longer message are separate entries.

        Raises
        ------
        ClosedError, CorruptError
            As for `poll`.
        BufferUsageError
            If an array over the last batch is still referenced.

        Notes
        -----
        For one thread. The position advances when the batch is released: by its ``release``, at the
        end of a ``with`` over it, or by the next poll.
        """
        cdef ImageList images = self._enter()
        cdef Image image
        cdef int32_t index
        if message_limit < 1:
            raise ValueError(f"message limit: expected at least 1, found {message_limit}")
        self._release_batch()
        if not self._any(images):
            return None
        index = first_index(&self.poller, images.c.count)
        for _ in range(images.c.count):
            image = <Image>images.images[index]
            if has_frames(images.c.pollers[index]) and image.hold() is not None:
                self.batch = new_batch(&image.poller, image, message_limit)
                if self.batch is not None:
                    return self.batch
            index += 1
            if index == images.c.count:
                index = 0
        return None

    cdef int _release_batch(self) except -1:
        cdef MessageBatch batch = self.batch
        if batch is not None:
            self.batch = None
            batch.release()
        return 0

    def block_poll(self, handler, int32_t block_length_limit):
        """Call ``handler`` with blocks of frames, image by image; see `Image.block_poll`."""
        cdef ImageList images = self._enter()
        cdef int32_t total = 0
        for image in images.images:
            total += image.block_poll(handler, block_length_limit)
        return total

    def raw_poll(self, handler, int32_t block_length_limit):
        """Call ``handler`` with the places of blocks, image by image; see `Image.raw_poll`."""
        cdef ImageList images = self._enter()
        cdef int32_t total = 0
        for image in images.images:
            total += image.raw_poll(handler, block_length_limit)
        return total

    cdef ImageList _enter(self):
        if load_acquire_i32(&self.poller.is_closed):
            raise ClosedError(f"{self!r}: polled after it was closed")
        return self.current

    cdef bint _any(self, ImageList images) noexcept:
        cdef bint found
        with nogil:
            found = any_has_frames(&images.c)
        return found

    @property
    def images(self):
        """Its images, in the order in which they became available."""
        return self.current.images

    def image_by_session_id(self, int32_t session_id):
        """Return the image of a publisher's session, or None."""
        for image in self.current.images:
            if image.session_id == session_id:
                return image
        return None

    @property
    def is_connected(self):
        """Whether it has an image that is not closed."""
        return any(not image.is_closed for image in self.current.images)

    @property
    def is_closed(self):
        """Whether it was closed: by `close`, with its client, or with the driver."""
        return bool(load_acquire_i32(&self.poller.is_closed))

    @property
    def channel_status(self):
        """`ChannelStatus` of its channel; -1 of a closed subscription."""
        return self.conductor.channel_status(self)

    @property
    def local_socket_addresses(self):
        """The local addresses that the driver receives at, as ``host:port``; empty until bound."""
        return self.conductor.local_socket_addresses(self)

    @property
    def resolved_endpoint(self):
        """The first of ``local_socket_addresses``, or None."""
        addresses = self.local_socket_addresses
        return addresses[0] if addresses else None

    def try_resolve_channel_endpoint_port(self):
        """Return the channel with the port that the driver bound in place of port 0.

        Returns
        -------
        str or None
            The channel; None while the port is not known.
        """
        return self.conductor.resolve_endpoint_port(self)

    def add_destination(self, endpoint_channel):
        """Add a destination to receive from; for a channel with ``control-mode=manual``.

        Raises
        ------
        RegistrationError
            If the driver rejects it.
        DriverTimeoutError
            If the driver does not answer.

        Notes
        -----
        Blocks; agents of a node must not call it: see `async_add_destination`.
        """
        self._enter()
        self.conductor.add_receive_destination(self.registration_id, endpoint_channel)

    def remove_destination(self, endpoint_channel):
        """Remove a destination, by its URI."""
        self._enter()
        self.conductor.remove_receive_destination(self.registration_id, endpoint_channel)

    def async_add_destination(self, endpoint_channel):
        """Begin `add_destination`; poll ``Aeron.is_done`` with the returned id."""
        self._enter()
        return self.conductor.async_add_receive_destination(
            self.registration_id, endpoint_channel)

    def async_remove_destination(self, endpoint_channel):
        """Begin `remove_destination`; poll ``Aeron.is_done`` with the returned id."""
        self._enter()
        return self.conductor.async_remove_receive_destination(
            self.registration_id, endpoint_channel)

    def reject_image(self, int64_t image_correlation_id, int64_t position, str reason not None):
        """Reject one of its images; use `Image.reject`."""
        self._enter()
        self.conductor.reject_image(image_correlation_id, position, reason)

    def give_up_image(self, int64_t image_correlation_id, int64_t position, str reason not None):
        """Request without waiting that an image be rejected. Called by polls, on any thread."""
        self.conductor.give_up_image(image_correlation_id, position, reason)

    def close(self):
        """Close the subscription and its images. Closing it again does nothing.

        Notes
        -----
        Any thread. Never blocks; a poll in progress finishes first.
        """
        if self.conductor is not None:
            self.conductor.close_subscription(self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return iter(self.current.images)

    def __len__(self):
        return len(self.current.images)

    def __bool__(self):
        return True

    def __repr__(self):
        state = " closed" if self.is_closed else ""
        return f"<Subscription {self.channel} stream={self.stream_id} images={len(self)}{state}>"
