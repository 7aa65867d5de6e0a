/** Reads the SQL and the chart from a model's answer. */
import type { ChartChoice } from '../../sql-page/contract.ts';
import { visible } from './hostile.ts';

export interface Answer {
  readonly text: string;
  readonly sql: string | null;
  readonly chart: ChartChoice | null;
}

const kinds: readonly string[] = ['line', 'bar', 'area', 'scatter'];

/** A fenced block. The last block can lack its end if the answer was cut. */
const block = /(?:^|\n)[ \t]*(`{3,}|~{3,})[ \t]*([\w-]*)[^\n]*\n([\s\S]*?)(?:\n[ \t]*\1[ \t]*(?=\n|$)|$)/g;

/**
 * Parses an answer. Never throws, because a model can write anything.
 * @example parseAnswer('Counts:\n```sql\nselect 1\n```').sql; // 'select 1'
 */
export function parseAnswer(answer: string): Answer {
  const said = withoutThoughts(visible(answer));
  let sql: string | null = null;
  let chart: ChartChoice | null = null;
  const text = said.replaceAll(block, (whole, _fence, language: string, content: string) => {
    const name = language.toLowerCase();
    if (name === 'chart') {
      chart ??= parseChart(content);
      return '\n';
    }
    if (
      ['sql', 'postgresql', 'postgres', 'pgsql', ''].includes(name) &&
      sql === null &&
      content.trim() !== ''
    ) {
      sql = content.trim();
      return '\n';
    }
    return whole;
  });
  return { text: text.trim(), sql, chart };
}

/** Removes the reasoning that some models write before the answer. */
export const withoutThoughts = (text: string): string =>
  text.replace(/^\s*<think>[\s\S]*?(?:<\/think>|$)/, '');

function parseChart(content: string): ChartChoice | null {
  try {
    const { kind, x, y } = JSON.parse(content) as Record<string, unknown>;
    const list = typeof y === 'string' ? [y] : y;
    if (typeof kind !== 'string' || !kinds.includes(kind) || typeof x !== 'string' || !Array.isArray(list))
      return null;
    const names = list.filter((name): name is string => typeof name === 'string' && name.length <= 200);
    if (x.length > 200 || names.length === 0) return null;
    return { kind: kind as ChartChoice['kind'], x, y: names.slice(0, 20) };
  } catch {
    return null;
  }
}
