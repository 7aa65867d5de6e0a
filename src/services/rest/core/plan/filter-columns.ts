import type { PlanCondition } from './types.ts';

/**
 * Returns the columns that a condition compares. A column that the condition contains more than once is returned more
 * than once.
 */
export function columnsOfFilter(condition: PlanCondition): string[] {
  switch (condition.kind) {
    case 'filter':
      return [condition.field.name];
    case 'null-embed':
      return [];
    case 'logic':
      return condition.children.flatMap(columnsOfFilter);
  }
}
