/** The routes for the history of statements. */
import { may } from '../core/roles.ts';
import { outlineOf, redactLiterals } from '../queries-page/core/outline.ts';
import type { Api } from '../routes/api.ts';
import type { History } from './history.ts';

/** The number of characters of a statement that a list includes. */
const listedChars = 300;

export function historyRoutes(api: Api, history: Pick<History, 'list' | 'statement'>): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /queries/history', 'read', async (call) => {
    const found = await history.list(await call.query());
    const isRedacted = !may(call.operator.role, 'secrets');
    return {
      ...found,
      statements: found.statements.map((statement) => {
        const text = isRedacted ? redactLiterals(statement.text) : statement.text;
        return {
          ...statement,
          text: text.replaceAll(/\s+/g, ' ').slice(0, listedChars),
          outline: outlineOf(text),
        };
      }),
      isRedacted,
    };
  });
  route('GET /queries/history/statement', 'read', async (call) => history.statement(await call.query()));
}
