/** The answers of the model as text. */
import { type Answer, type Load, type Need, shareOf } from './model.ts';

/** The name of each part, the unit of its amount, and what takes over when the part reaches its limit. */
export const partTexts: Readonly<
  Record<Need['part'], { readonly name: string; readonly unit: string; readonly next: string }>
> = {
  'nodes-cpu': { name: 'CPU of the nodes', unit: 'cores', next: 'more nodes' },
  'nodes-memory': { name: 'Sockets of the nodes', unit: 'GiB', next: 'more nodes' },
  primary: {
    name: 'CPU of the primary',
    unit: 'cores',
    next: 'read replicas, then a larger server, then Citus',
  },
  writes: { name: 'Writes on the primary', unit: 'cores', next: 'a larger server, then Citus' },
  'change-reader': {
    name: 'Reader of the changes',
    unit: 'cores',
    next: 'fewer tables in the publication, or broadcasts instead of changes',
  },
  connections: { name: 'Connections to PostgreSQL', unit: 'connections', next: 'PgBouncer' },
};

const number = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });

const percent = (share: number): string => `${Math.ceil(share * 100).toLocaleString('en-US')} %`;

export function describeAnswer(load: Load, { nodes, replicas, needs, first }: Answer): string {
  const lines = needs.map((need) => {
    const { name, unit, next } = partTexts[need.part];
    const share = shareOf(need);
    const isMultiplied = need.part === 'nodes-cpu' || need.part === 'nodes-memory';
    const note = isMultiplied
      ? `${number(Math.max(1, Math.ceil(share)))} nodes`
      : `${percent(share)} of one${share > 1 ? `: needs ${next}` : ''}`;
    return `  ${name.padEnd(28)} ${number(need.amount).padStart(8)} ${unit.padEnd(12)} ${note}`;
  });
  return [
    `${number(load.monthlyUsers)} users a month, ${number(load.requests)} requests/s, ${number(load.changes)} changes/s, ${number(load.sockets)} sockets:`,
    `  ${number(nodes)} nodes, ${replicas === 0 ? 'no read replicas' : `${number(replicas)} read replicas`}, ${number(load.storedGiB)} GiB in the object store`,
    ...lines,
    `The first limit is: ${partTexts[first.part].name} (${percent(shareOf(first))}). Then: ${partTexts[first.part].next}.`,
  ].join('\n');
}

/** The head of the table in docs/scale.md. */
export const answerHead: readonly string[] = [
  'Load',
  'Requests per second',
  'Changes per second',
  'Sockets',
  'Nodes',
  'Read replicas',
  'Part that reaches its limit first',
  'What takes over',
];

/** One row of the table. */
export function answerRow(name: string, load: Load, { nodes, replicas, first }: Answer): string[] {
  const { name: part, next } = partTexts[first.part];
  return [
    name,
    number(load.requests),
    number(load.changes),
    number(load.sockets),
    number(nodes),
    number(replicas),
    `${part}: ${percent(shareOf(first))}`,
    shareOf(first) > 1 ? next : '-',
  ];
}
