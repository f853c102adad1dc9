import { CHANNEL_CAP, EDGE_CAP, STAGE_ADDITIONS } from '../feedback/policy.ts';
import type { ConfirmationReceipt, Receipt, ReversalReceipt, SourceUseReceipt } from '../feedback/receipts.ts';
import { amount } from './amount.ts';
import { edgeText } from './graph-path.ts';
import { numberOf, type TraceDetail } from './result-number.ts';
import { sourceName } from './source-name.ts';
import { oneLine, type Style, type Terminal } from './terminal.ts';

/** A receipt for a person: a line that says it all, then what moved, by how much, and why not. */
export function renderReceipt(receipt: Receipt, sources: TraceDetail['sources'], { style }: Terminal): string {
  return `${receiptLines(receipt, sources, style).join('\n')}\n`;
}

/** The same as lines. `sources` are those of its trace. */
export function receiptLines(receipt: Receipt, sources: TraceDetail['sources'], style: Style): string[] {
  switch (receipt.kind) {
    case 'source_use':
      return useLines(receipt, sources, style);
    case 'confirmation':
      return confirmationLines(receipt, sources, style);
    case 'reversal':
      return reversalLines(receipt, style);
  }
}

function useLines({ uses }: SourceUseReceipt, sources: TraceDetail['sources'], style: Style): string[] {
  const moved = new Set(uses.filter((use) => use.applied).map((use) => use.source_id)).size;
  const first =
    moved === 0 ? 'Nothing new: all of it was recorded before.' : `Recorded the use of ${counted(moved, 'source')}.`;
  const ids = [...new Set(uses.map((use) => use.source_id))];
  return [
    style.bold(first),
    ...ids.flatMap((id) => {
      const steps = uses.filter((use) => use.source_id === id);
      const total = steps.at(-1)?.activation.total ?? 0;
      const texts = steps.map((step, at) => stepText(step, steps[at - 1]));
      return [sourceLine(id, sources, style), `    ${texts.join(', ')} ${style.dim(`→ activation ${amount(total)}`)}`];
    }),
  ];
}

type Step = SourceUseReceipt['uses'][number];

/** What a step added: exact but where the cap cut the first of a receipt, which does not say what was there before. */
function stepText({ stage, applied, activation }: Step, before: Step | undefined): string {
  if (!applied) return `${stage} (already recorded)`;
  const capped = activation.usage >= CHANNEL_CAP;
  if (!capped) return `${stage} +${amount(STAGE_ADDITIONS[stage])}`;
  return before === undefined
    ? `${stage} up to the cap of ${String(CHANNEL_CAP)}`
    : `${stage} +${amount(activation.usage - before.activation.usage)} (capped)`;
}

type Credit = ConfirmationReceipt['credits'][number];

function confirmationLines(receipt: ConfirmationReceipt, sources: TraceDetail['sources'], style: Style): string[] {
  const { credits, reason, confirmation_id } = receipt;
  const grown = credits.filter((credit) => credit.applied_delta > 0);
  const sum = amount(grown.reduce((total, credit) => total + credit.applied_delta, 0));
  const first =
    grown.length === 0
      ? 'Confirmed. No edge grew.'
      : `Confirmed. ${counted(grown.length, 'edge')} grew by ${sum}${grown.length === 1 ? '' : ' in all'}.`;
  return [
    style.bold(first),
    reasonLine(reason),
    ...receipt.sources.flatMap(({ source_id: id }) => [
      sourceLine(id, sources, style),
      ...credits.filter((credit) => credit.source_id === id).map((credit) => `    ${creditText(credit, style)}`),
    ]),
    style.dim(`  confirmation ${oneLine(confirmation_id)}`),
  ];
}

function creditText({ edge, applied_delta, strength, state, reason }: Credit, style: Style): string {
  if (edge === null) return 'no credit: no verified path of the graph led to it';
  const reversed =
    state === 'reversed' && reason !== 'already_reversed' ? `, ${style.warning('taken back since')}` : '';
  const text = `${edgeText(edge)} ${style.dim(`→ strength ${amount(strength)}`)}`;
  if (reason === undefined) return `${style.open(`+${amount(applied_delta)}`)} ${text}${reversed}`;
  return `${style.dim('+0')} ${text}: ${whyNot(reason)}${reversed}`;
}

function whyNot(reason: NonNullable<Credit['reason']>): string {
  switch (reason) {
    case 'duplicate_trace_edge':
      return 'this retrieval credited it before';
    case 'already_reversed':
      return 'this retrieval credited it once and that was taken back, for good';
    case 'cap_reached':
      return `no edge grows beyond ${String(EDGE_CAP)}`;
    case 'no_graph_path':
      return 'no verified path of the graph led to it';
  }
}

function reversalLines({ outcome, reversals, reason, confirmation_id }: ReversalReceipt, style: Style): string[] {
  const taken = reversals.filter((reversal) => reversal.reason === undefined);
  const sum = amount(taken.reduce((total, reversal) => total + reversal.reversed_delta, 0));
  const what = outcome === 'corrected' ? 'Corrected.' : 'Rolled back.';
  const effect =
    taken.length > 0
      ? `${counted(taken.length, 'edge')} lost ${sum}${taken.length === 1 ? '' : ' in all'}.`
      : reversals.length === 0
        ? 'It had credited no edge, so there was nothing to take back.'
        : 'Nothing was left to take back: it was reversed before.';
  return [
    style.bold(`${what} ${effect}`),
    reasonLine(reason),
    ...reversals.map((reversal) => {
      const { edge, applied_delta, reversed_delta, strength } = reversal;
      const lost =
        reversal.reason === undefined
          ? `${style.closed(`-${amount(reversed_delta)}`)} ${style.dim(`of ${amount(applied_delta)}`)}`
          : style.dim('-0');
      return `    ${lost} ${edgeText(edge)} ${style.dim(`→ strength ${amount(strength)}`)}`;
    }),
    style.dim(`  confirmation ${oneLine(confirmation_id)}`),
  ];
}

function reasonLine(reason: string): string {
  return `  because: ${oneLine(reason)}`;
}

function sourceLine(id: string, sources: TraceDetail['sources'], style: Style): string {
  const source = sources.find((each) => each.source_id === id);
  if (source === undefined) return `  ${oneLine(id)}`;
  return `  ${style.number(numberOf(source.location))} ${style.repo(sourceName(source.provenance))}`;
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
