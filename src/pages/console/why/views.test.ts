import { expect, test } from 'vitest';
import { timesRead, viewTargets } from './views.ts';

const entry = (resno: number, name: string, table: number, column: number, expr = '{VAR :varno 1}'): string =>
  `{TARGETENTRY :expr ${expr} :resno ${resno} :resname ${name} :ressortgroupref 0 :resorigtbl ${table} :resorigcol ${column} :resjunk false}`;
const query = (rtable: string, targets: string): string =>
  `({QUERY :commandType 1 :rtable (${rtable}) :jointree {FROMEXPR :fromlist ({RANGETBLREF :rtindex 1}) :quals <>} :targetList (${targets}) :override 0})`;

test('only columns in the view’s own list are returned, without computed columns', () => {
  const inner = `{RANGETBLENTRY :rtekind 1 :subquery {QUERY :targetList (${entry(1, 'inner', 5, 1)})}}`;
  const rule = query(
    `{RANGETBLENTRY :rtekind 0 :relid 16400 :inh true} ${inner}`,
    `${entry(1, 'id', 16400, 1)} ${entry(2, 'b\\}\\{', 16400, 3)} ${entry(3, 'sum', 0, 0, '{OPEXPR :args ({VAR :varno 1})}')}`,
  );
  expect(viewTargets(rule)).toEqual([
    { number: 1, relation: 16400, column: 1 },
    { number: 2, relation: 16400, column: 3 },
  ]);
  expect([timesRead(rule, 16400), timesRead(rule, 1640)]).toEqual([1, 0]);
});

test('any text can be parsed', () => {
  for (const text of ['', '<>', '}}}{{{', '({QUERY :x \\', '{{TARGETENTRY}}'])
    expect(viewTargets(text)).toEqual([]);
});
