/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of which a read may be beside those of attach points: see plan_reads.c, and
 * runtime/recording/raw_reads.c.
 */
#pragma once

/* A thread comes back to the CPU; its time on the CPU ends. */
#define READ_PLACE_BACK "back"
#define READ_PLACE_ON "on"
