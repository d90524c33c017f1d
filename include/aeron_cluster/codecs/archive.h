/* Generated from archive.xml and c_codecs.toml by tools/generate_codecs.py. Edit them, run it. */
#ifndef AERON_CLUSTER_CODECS_ARCHIVE_H
#define AERON_CLUSTER_CODECS_ARCHIVE_H

#include "aeron_cluster/codecs/sbe.h"

enum {
    AC_ARCHIVE_SCHEMA_ID = 101,
    AC_ARCHIVE_SCHEMA_VERSION = 13,
};

/* Ping: archive to client, since version 11 */
enum {
    AC_ARCHIVE_PING_TEMPLATE_ID = 106,
    AC_ARCHIVE_PING_BLOCK_LENGTH = 8,
};

#endif
