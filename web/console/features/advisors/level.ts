import type { TagTone } from '../../components/tag.tsx';
import type { Finding } from './api.ts';

const tones: Record<Finding['level'], TagTone> = { ERROR: 'danger', WARN: 'warning', INFO: 'info' };

export const toneOf = (level: Finding['level']): TagTone => tones[level];
