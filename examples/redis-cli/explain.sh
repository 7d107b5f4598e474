#!/bin/sh
# Sends one row through the stream of requests and prints its answer: all that a program needs is a Redis client.
#   explain.sh ID MODEL POLICY-FILE FEATURES-JSON
# REDIS_URL says where Redis is, ELSEWISE_PREFIX how our keys begin.
set -eu
id=$1 model=$2 policy=$(cat "$3") features=$4
url=${REDIS_URL:-redis://127.0.0.1:6379}
prefix=${ELSEWISE_PREFIX:-elsewise}

body="{\"id\":\"$id\",\"model\":\"$model\",\"policy\":$policy,\"features\":$features}"
redis-cli -u "$url" XADD "$prefix:requests" '*' body "$body" >/dev/null

tries=0
until answer=$(redis-cli -u "$url" GET "$prefix:result:$id") && [ -n "$answer" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 600 ] || { echo "no answer to $id after a minute: elsewise dead list says what was refused" >&2; exit 1; }
  sleep 0.1
done
printf '%s\n' "$answer"
