import { expect, test } from 'vitest';
import { originColumns } from './node-tree.ts';

const entry = (fields: string, expression = '{VAR :varno 1 :varattno 2}') =>
  `{TARGETENTRY :expr ${expression} ${fields} :resjunk false}`;

test('plain columns have an origin, but expressions don’t', () => {
  const tree = `({QUERY :commandType 1 :cteList <> :targetList (${[
    entry(':resno 1 :resname id :ressortgroupref 0 :resorigtbl 16385 :resorigcol 1'),
    entry(
      ':resno 2 :resname upper :ressortgroupref 0 :resorigtbl 0 :resorigcol 0',
      '{FUNCEXPR :args ({VAR :resno 9})}',
    ),
    entry(':resno 3 :resname last\\ name :ressortgroupref 0 :resorigtbl 16390 :resorigcol 7'),
  ].join(' ')}) :override 0})`;
  expect(originColumns(tree)).toEqual([
    { viewColumn: 1, relation: 16385, column: 1 },
    { viewColumn: 3, relation: 16390, column: 7 },
  ]);
});

test('target lists of inner queries are ignored', () => {
  const inner = `{QUERY :targetList (${entry(':resno 1 :resorigtbl 5 :resorigcol 5')})}`;
  const tree = `({QUERY :rtable ({RTE :subquery ${inner}}) :targetList (${entry(':resno 1 :resorigtbl 7 :resorigcol 2')}) :havingQual ${inner}})`;
  expect(originColumns(tree)).toEqual([{ viewColumn: 1, relation: 7, column: 2 }]);
});

test('names that look like structure are escaped and parsed correctly', () => {
  const tree = `({QUERY :targetList (${entry(':resno 1 :resname \\}\\)\\{:resno :resorigtbl 7 :resorigcol 2')})})`;
  expect(originColumns(tree)).toEqual([{ viewColumn: 1, relation: 7, column: 2 }]);
});
