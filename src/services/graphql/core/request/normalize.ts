/** Normalizes selection sets: expands fragments, applies `@skip` and `@include`, and merges equal fields. */

import { GraphqlError } from '../error.ts';
import type { SelectedField } from '../schema/selection.ts';
import type { Argument, DirectiveNode, Fragment, Literal, Selection } from './ast.ts';

/** A normalized field with the arguments that the document passes to it. */
export interface Selected extends SelectedField {
  readonly arguments: readonly Argument[];
  readonly selections: (typeName: string) => readonly Selected[];
}

export interface NormalizeContext {
  readonly fragments: readonly Fragment[];
  /** Returns the value of a variable that a directive refers to. */
  readonly booleanOf: (variable: string) => boolean | undefined;
  /** The number of fields that may still be selected. A small document can expand to an enormous one. */
  budget: number;
}

/**
 * Normalizes the selection set of an object with this type.
 *
 * @throws a GraphqlError for fields that can't be merged, unknown fragments and invalid directives.
 */
export function normalize(
  selections: readonly Selection[],
  typeName: string,
  context: NormalizeContext,
): readonly Selected[] {
  const merged = new Map<string, MergedField>();
  const spread = new Set<Fragment>();
  const collect = (list: readonly Selection[]): void => {
    for (const selection of list) {
      context.budget -= 1;
      if (context.budget < 0) throw new GraphqlError('The query selects too many fields');
      if (isSkipped(selection.directives, context)) continue;
      if (selection.kind === 'field') {
        const existing = merged.get(selection.key);
        if (existing === undefined) {
          merged.set(selection.key, {
            key: selection.key,
            name: selection.name,
            arguments: selection.arguments,
            children: [selection.selections],
          });
        } else {
          rejectConflict(selection, existing);
          existing.children.push(selection.selections);
        }
      } else if (selection.kind === 'inline') {
        if (selection.on === null || selection.on === typeName) collect(selection.selections);
      } else {
        const fragment = fragmentOf(selection.fragment, typeName, context.fragments);
        // The second time, all of its fields are already selected.
        if (spread.has(fragment)) continue;
        spread.add(fragment);
        collect(fragment.selections);
      }
    }
  };
  collect(selections);
  return [...merged.values()].map(({ children, ...field }) => ({
    ...field,
    selections: (type) => normalize(children.flat(), type, context),
  }));
}

interface MergedField {
  readonly key: string;
  readonly name: string;
  readonly arguments: readonly Argument[];
  readonly children: (readonly Selection[])[];
}

function fragmentOf(name: string, typeName: string, fragments: readonly Fragment[]): Fragment {
  const fragment = fragments.find((one) => one.name === name && one.on === typeName);
  if (fragment === undefined) throw new GraphqlError(`no fragment named ${name} on type ${typeName}`);
  return fragment;
}

function isSkipped(directives: readonly DirectiveNode[], context: NormalizeContext): boolean {
  for (const { name, arguments: args } of directives) {
    if (name !== 'skip' && name !== 'include') throw new GraphqlError(`Unknown directive ${name}`);
    const [argument] = args;
    if (argument === undefined || args.length !== 1) {
      throw new GraphqlError(`Incorrect arguments to directive @${name}`);
    }
    if (argument.name !== 'if') throw new GraphqlError(`Unknown argument to @${name}: ${argument.name}`);
    const condition = conditionOf(name, argument.value, context);
    if (condition === (name === 'skip')) return true;
  }
  return false;
}

/** Returns undefined for a value that isn't a Boolean, which upstream ignores. */
function conditionOf(directive: string, value: Literal, context: NormalizeContext): boolean | undefined {
  if (value.kind === 'boolean') return value.value;
  if (value.kind !== 'variable') return undefined;
  const condition = context.booleanOf(value.name);
  if (condition === undefined) {
    throw new GraphqlError(`Value for "if" in @${directive} directive is required`);
  }
  return condition;
}

function rejectConflict(
  one: { readonly name: string; readonly arguments: readonly Argument[] },
  existing: MergedField,
): void {
  if (one.name !== existing.name) {
    throw new GraphqlError(`Fields \`${one.name}\` and \`${existing.name}\` are different`);
  }
  if (!areEqualArguments(one.arguments, existing.arguments)) {
    throw new GraphqlError(`Two fields named \`${one.name}\` have different arguments`);
  }
}

function areEqualArguments(left: readonly Argument[], right: readonly Argument[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  const byName = new Map(left.map(({ name, value }) => [name, value]));
  return right.every(({ name, value }) => {
    const other = byName.get(name);
    return other !== undefined && areEqual(other, value);
  });
}

function areEqual(left: Literal, right: Literal): boolean {
  switch (left.kind) {
    case 'variable':
      return right.kind === 'variable' && left.name === right.name;
    case 'null':
      return right.kind === 'null';
    case 'boolean':
      return right.kind === 'boolean' && left.value === right.value;
    case 'list':
      return (
        right.kind === 'list' &&
        left.items.length === right.items.length &&
        left.items.every((item, index) => areEqual(item, right.items[index] as Literal))
      );
    case 'object': {
      if (right.kind !== 'object' || left.entries.length !== right.entries.length) return false;
      const others = new Map(right.entries);
      return left.entries.every(([name, value]) => {
        const other = others.get(name);
        return other !== undefined && areEqual(value, other);
      });
    }
    default:
      return right.kind === left.kind && 'text' in right && left.text === right.text;
  }
}
