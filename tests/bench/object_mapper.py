#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bench compares with row by row on PostgreSQL: the same work as a service does it over an object mapper (Django).

    object_mapper.py backfill ROWS URL
    object_mapper.py drain ROWS URL TARGET_URL

Stops after ROWS rows; 0: all. Prints the rows that it did, the seconds that it took once it was loaded, and the
statements, transactions and seconds of the longest transaction among them. Exit code 3: Django or psycopg2 is not
installed.
"""

import sys
import time

try:
    import django
    import psycopg2
    from django.conf import settings
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(3)


def database_of(url):
    """The URL in libpq's own words, whatever form it has."""
    with psycopg2.connect(url) as connection:
        given = connection.get_dsn_parameters()
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": given["dbname"],
        "USER": given.get("user", ""),
        "PASSWORD": given.get("password", ""),
        "HOST": given.get("host", ""),
        "PORT": given.get("port", ""),
    }


work, limit, urls = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
settings.configure(
    DATABASES={name: database_of(url) for name, url in zip(("default", "target"), urls)},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
    DEBUG=False,
)
django.setup()

from django.db import connections, models, transaction  # noqa: E402


class Membership(models.Model):
    organization_id = models.BigIntegerField()
    user_id = models.BigIntegerField(null=True)
    email = models.TextField(null=True)
    role = models.TextField()
    flags = models.BigIntegerField()

    class Meta:
        abstract = True


class Member(Membership):
    id = models.BigAutoField(primary_key=True)

    class Meta:
        app_label, db_table, managed = "bench", "member", False


class MemberCopy(Membership):
    member_id = models.BigIntegerField(primary_key=True)

    class Meta:
        app_label, db_table, managed = "bench", "member_copy", False


class Outbox(models.Model):
    id = models.BigAutoField(primary_key=True)
    shard_scope = models.IntegerField()
    shard_identifier = models.BigIntegerField()
    category = models.IntegerField()
    object_identifier = models.BigIntegerField()
    cell_name = models.TextField(default="")

    class Meta:
        app_label, db_table, managed = "bench", "winnow_cell_outbox", False


class Counter:
    """Counts statements, and times transactions, which begin and end outside of what Django counts."""

    def __init__(self):
        self.statements = self.transactions = 0
        self.longest = 0.0

    def __call__(self, execute, sql, params, many, context):
        self.statements += 1
        return execute(sql, params, many, context)

    def atomic(self, using="default"):
        counter = self

        class Timed(transaction.Atomic):
            def __enter__(self):
                self.begun = time.monotonic()
                return super().__enter__()

            def __exit__(self, *problem):
                super().__exit__(*problem)
                counter.transactions += 1
                counter.longest = max(counter.longest, time.monotonic() - self.begun)

        return Timed(using, savepoint=True, durable=False)


def backfill(counted):
    """A message for each row, each saved in a transaction of its own."""
    rows, after = 0, 0
    while True:
        batch = list(Member.objects.filter(id__gt=after).order_by("id")[:100])
        if not batch:
            return rows
        for member in batch:
            with counted.atomic():
                Outbox(
                    shard_scope=0, shard_identifier=member.organization_id, category=0, object_identifier=member.id
                ).save()
            rows += 1
            after = member.id
            if rows == limit:
                return rows


def drain(counted):
    """One message after the other: the newest one of its object counts, its row is copied, it is deleted."""
    rows, after = 0, 0
    while True:
        with counted.atomic():
            message = Outbox.objects.filter(id__gt=after).order_by("id").select_for_update(skip_locked=True).first()
            if message is None:
                return rows
            same = Outbox.objects.filter(
                shard_scope=message.shard_scope,
                shard_identifier=message.shard_identifier,
                category=message.category,
                object_identifier=message.object_identifier,
            )
            newest = same.order_by("id").last()
            member = Member.objects.get(id=message.object_identifier)
            with counted.atomic("target"):
                MemberCopy.objects.using("target").update_or_create(
                    member_id=member.id,
                    defaults={
                        "organization_id": member.organization_id,
                        "user_id": member.user_id,
                        "email": member.email,
                        "role": member.role,
                        "flags": member.flags,
                    },
                )
            rows += same.filter(id__lte=newest.id).delete()[0]
            after = message.id
        if rows == limit:
            return rows


counter = Counter()
with connections["default"].execute_wrapper(counter):
    for name in connections:
        connections[name].ensure_connection()
    if work == "drain":
        connections["target"].execute_wrappers.append(counter)
    start = time.monotonic()
    done = {"backfill": backfill, "drain": drain}[work](counter)
    print(done, time.monotonic() - start, counter.statements, counter.transactions, counter.longest)
