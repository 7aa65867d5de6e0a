import { Tag, type TagTone } from '../../components/tag.tsx';
import type { NodeState, NodeStatus } from './api.ts';
import { t } from './text.ts';

const tones: Readonly<Record<NodeState, TagTone>> = {
  ok: 'success',
  degraded: 'warning',
  failing: 'danger',
  draining: 'info',
  silent: 'danger',
  failed: 'danger',
  unsupported: 'warning',
  gone: 'plain',
};

export const StateTag = ({ state }: Pick<NodeStatus, 'state'>) => (
  <Tag tone={tones[state]}>{t(`nodes.state-${state}`)}</Tag>
);

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}

/** Describes whether the node reads database changes, and how far it is behind. */
export function changesText({ facts, slot }: Pick<NodeStatus, 'facts' | 'slot'>): string {
  if (slot === null) return t('nodes.reads-not');
  const reads = t(facts?.realtime?.readsForGroup === true ? 'nodes.reads-group' : 'nodes.reads');
  const { lagBytes, lagSeconds } = slot;
  if (lagBytes === null) return reads;
  const size = sizeText(lagBytes);
  const behind =
    lagSeconds === null
      ? t('nodes.behind', { size })
      : t('nodes.behind-seconds', { size, seconds: lagSeconds.toFixed(1) });
  return `${reads}, ${behind}`;
}
