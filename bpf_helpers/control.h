/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What the helper files share: the control block, the configuration, the loss table.
 */
#pragma once
#include "bpf.h"

extern volatile struct sonde_control sonde_control;
extern const volatile struct sonde_config sonde_config;

void sonde_lose(uint32_t probe, uint32_t cause);
void *sonde_reserve(uint32_t probe, uint64_t size);
void sonde_submit(void *record);
