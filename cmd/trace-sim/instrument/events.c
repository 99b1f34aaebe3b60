/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the event log; see events.h. */
#include "events.h"
#include "instrument/line.h"

#define LINE_MAX_BYTES 192

/* Begins a line with "CYCLE<TAB>KIND". Returns the end of the text. */
static char *begin_event(char *line, uint64_t cycle, const char *kind)
{
	char *p = line_decimal(line, cycle);

	*p++ = '\t';
	return line_string(p, kind);
}

static char *tab_decimal(char *p, uint64_t v)
{
	*p++ = '\t';
	return line_decimal(p, v);
}

static char *tab_hex(char *p, uint64_t v)
{
	*p++ = '\t';
	return line_hex(p, v);
}

static void end_event(struct events *e, char *line, char *p)
{
	*p++ = '\n';
	fwrite(line, 1, (size_t)(p - line), e->out);
}

void events_log_cta(struct events *e, uint64_t cycle, unsigned sm, unsigned slot, uint64_t ctaid)
{
	char line[LINE_MAX_BYTES];

	if (!filter_has_sm(&e->filter, cycle, sm))
		return;
	end_event(e, line,
		tab_decimal(tab_decimal(tab_decimal(begin_event(line, cycle, "cta"), sm), slot), ctaid));
}

void events_log_issue(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc, unsigned scheduler)
{
	char line[LINE_MAX_BYTES];

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	end_event(e, line,
		tab_decimal(
			tab_hex(tab_decimal(tab_decimal(begin_event(line, cycle, "issue"), sm), warp), pc),
			scheduler));
}

void events_log_writeback(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc)
{
	char line[LINE_MAX_BYTES];

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	end_event(e, line,
		tab_hex(tab_decimal(tab_decimal(begin_event(line, cycle, "writeback"), sm), warp), pc));
}

void events_log_memdone(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc)
{
	char line[LINE_MAX_BYTES];

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	end_event(e, line,
		tab_hex(tab_decimal(tab_decimal(begin_event(line, cycle, "memdone"), sm), warp), pc));
}

void events_log_request(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address,
	unsigned bytes, unsigned type, unsigned partition)
{
	char line[LINE_MAX_BYTES];
	char *p = tab_hex(tab_decimal(tab_decimal(begin_event(line, cycle, "request"), sm), warp), address);

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	end_event(e, line, tab_decimal(tab_decimal(tab_decimal(p, bytes), type), partition));
}

void events_log_reply(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address, unsigned type)
{
	char line[LINE_MAX_BYTES];

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	end_event(e, line,
		tab_decimal(tab_hex(tab_decimal(tab_decimal(begin_event(line, cycle, "reply"), sm), warp),
				    address),
			type));
}

void events_log_l2(struct events *e, uint64_t cycle, unsigned partition, uint64_t address, unsigned type,
	unsigned status)
{
	char line[LINE_MAX_BYTES];

	if (!filter_has_cycle(&e->filter, cycle))
		return;
	end_event(e, line,
		tab_decimal(
			tab_decimal(tab_hex(tab_decimal(begin_event(line, cycle, "l2"), partition), address),
				type),
			status));
}

void events_log_dram(
	struct events *e, uint64_t cycle, unsigned channel, const char *command, unsigned bank, uint32_t row)
{
	char line[LINE_MAX_BYTES];
	char *p = tab_decimal(begin_event(line, cycle, "dram"), channel);

	if (!filter_has_cycle(&e->filter, cycle))
		return;
	*p++ = '\t';
	end_event(e, line, tab_hex(tab_decimal(line_string(p, command), bank), row));
}

void events_log_flit(
	struct events *e, bool in, unsigned subnet, unsigned node, uint64_t packet, unsigned flit)
{
	char line[LINE_MAX_BYTES];

	if (!filter_has_cycle(&e->filter, e->now))
		return;
	end_event(e, line,
		tab_decimal(tab_decimal(tab_decimal(tab_decimal(begin_event(line, e->now,
									in ? "inject" : "eject"),
							    subnet),
						node),
				    packet),
			flit));
}
