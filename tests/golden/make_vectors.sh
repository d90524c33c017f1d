#!/usr/bin/env bash
# Generate the golden vectors with the real Java codecs and logs (needs a JDK 17 and Maven).
# Usage: tests/golden/make_vectors.sh [target folder]
set -euo pipefail
cd "$(dirname "$0")"
target=${1:-$PWD}
aeron=1.51.0
build=../../build/java
mkdir -p "$build/vectors"
jar=$build/aeron-all-$aeron.jar
if [ ! -f "$jar" ]; then
    fetched=$(realpath "$build")/fetched-$$
    # Not from the project's root: Maven would look for a pom.xml there.
    (cd "$build" && mvn -q -B dependency:copy "-Dartifact=io.aeron:aeron-all:$aeron" "-DoutputDirectory=$fetched")
    mv "$fetched/aeron-all-$aeron.jar" "$jar"
    rmdir "$fetched"
fi
javac -nowarn -cp "$jar" -d "$build/vectors" java/*.java
for pair in CodecVectors:codecs UriVectors:channel_uris LogVectors:logs ResolutionVectors:resolutions; do
    java --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED \
        --add-opens=java.base/sun.nio.ch=ALL-UNNAMED -cp "$build/vectors:$jar" "${pair%:*}" \
        >"$target/${pair#*:}.jsonl"
done
# The logging agent is only in Aeron's source tree: AERON=path makes the vectors of its events too.
if [ -n "${AERON:-}" ]; then
    agent=$build/vectors-agent
    mkdir -p "$agent"
    for artifact in byte-buddy byte-buddy-agent; do
        (cd "$build" && mvn -q -B dependency:copy "-Dartifact=net.bytebuddy:$artifact:1.18.8" -DoutputDirectory=agent-lib)
    done
    # These are generated in Aeron's own build.
    for component in Driver Archive Cluster; do
        printf 'package io.aeron.agent; class %s { static final String VERSION = ""; static final String GIT_SHA = ""; }' \
            "${component}ComponentLoggerVersion" >"$agent/${component}ComponentLoggerVersion.java"
    done
    printf 'package io.aeron.version; public @interface Versioned { }' >"$agent/Versioned.java"
    find "$AERON/aeron-agent/src/main/java" -name '*.java' >"$agent/sources"
    javac -nowarn -proc:none -cp "$jar:$build/agent-lib/*" -d "$agent" "@$agent/sources" "$agent"/*.java java_agent/*.java
    java --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED \
        --add-opens=java.base/sun.nio.ch=ALL-UNNAMED -cp "$agent:$jar:$build/agent-lib/*" io.aeron.agent.EventVectors \
        codecs.jsonl >"$target/events.jsonl"
fi
