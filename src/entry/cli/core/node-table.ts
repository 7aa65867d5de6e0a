/** Formats the output of `plinth status --group`. */
import { sizeText } from '../../../base/shared/printable.ts';
import type { NodeState, NodeStatus } from '../../../platform/group/types.ts';

const states: Readonly<Record<NodeState, string>> = {
  ok: 'ok',
  degraded: 'degraded',
  failing: 'failing',
  draining: 'draining',
  silent: 'no answer',
  failed: 'no answer',
  unsupported: 'older version',
  gone: 'gone',
};

const headings = [
  'Node',
  'Version',
  'State',
  'Started (UTC)',
  'Last seen',
  'Requests/s',
  'CPU',
  'Memory',
  'Loop delay',
  'Connections',
  'Database',
  'Sockets',
  'Changes',
] as const;

/** Returns the rows of the table, including the headings. */
export function nodeRows(nodes: readonly NodeStatus[], nowMs: number): string[][] {
  return [[...headings], ...nodes.map((node) => [...identityOf(node, nowMs), ...loadOf(node)])];
}

function identityOf(node: NodeStatus, nowMs: number): string[] {
  const seconds = Math.max(0, Math.round((nowMs - node.seenAtMs) / 1000));
  return [
    node.isSelf ? `${node.name} *` : node.name,
    node.isOtherVersion ? `${node.version} !` : node.version,
    states[node.state],
    new Date(node.startedAtMs).toISOString().slice(0, 19).replace('T', ' '),
    seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`,
  ];
}

function loadOf({ facts, slot }: NodeStatus): string[] {
  if (facts === null) return Array.from({ length: 8 }, () => '-');
  const { requestsPerSecond, cpuCores, maxCpuCores, connections, database, realtime } = facts;
  return [
    String(requestsPerSecond),
    `${cpuCores}/${maxCpuCores}`,
    sizeText(facts.memoryBytes),
    `${facts.eventLoopLagMs} ms`,
    `${connections.open}/${connections.limit}`,
    `${database.open}/${database.limit}`,
    realtime === null ? '-' : String(realtime.sockets),
    slot === null ? '-' : changesOf(slot, realtime?.readsForGroup === true),
  ];
}

function changesOf({ lagBytes, lagSeconds }: NonNullable<NodeStatus['slot']>, forGroup: boolean): string {
  const reads = forGroup ? 'reads for all' : 'reads';
  if (lagBytes === null) return reads;
  return `${reads}, ${sizeText(lagBytes)}${lagSeconds === null ? '' : ` and ${lagSeconds.toFixed(1)} s`} behind`;
}

/** Returns the problems of the nodes, and the explanations of the marks in the table. */
export function nodeNotes(nodes: readonly NodeStatus[]): string[] {
  const notes = nodes.flatMap(({ name, facts }) => [
    ...(facts?.problems ?? []).map(
      ({ check, status, message }) => `${name}: ${check} is ${status}. ${message}`,
    ),
    ...(facts !== null && facts.needsRestart.length > 0
      ? [`${name}: These settings take effect after a restart: ${facts.needsRestart.join(', ')}.`]
      : []),
    ...(facts !== null && facts.settingsErrors > 0
      ? [`${name}: The settings files contain errors. Run "plinth reload" on this node to show them.`]
      : []),
  ]);
  const missing = nodes.filter(({ facts, state }) => facts === null && state !== 'gone').length;
  const running = nodes.filter(({ state }) => state !== 'gone').length;
  return [
    ...(missing > 0 ? [`${running - missing} of ${running} nodes answered.`] : []),
    ...notes,
    ...(nodes.length > 1 ? ['* is the node on which this command runs.'] : []),
    ...(nodes.some(({ isOtherVersion }) => isOtherVersion)
      ? ['! marks a version that differs from the version of this node.']
      : []),
  ];
}
