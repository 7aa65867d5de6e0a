/** Determines what a change to a table's policies affects, and the policies after the change. */
import type { Operation } from '../../why/contract.ts';
import type { Rule } from '../../why/core/access.ts';
import type { PolicyCommand } from '../contract.ts';
import type { PolicyChange, PolicyText } from '../statement.ts';

const accesses: readonly Operation[] = ['select', 'insert', 'update', 'delete'];

/** Returns the kinds of access that can differ after the change. */
export function affectedBy(
  change: PolicyChange,
  policies: readonly Pick<Rule, 'name' | 'command'>[],
): Operation[] {
  const commandOf = (name: string): PolicyCommand[] =>
    policies.filter((policy) => policy.name === name).map(({ command }) => command);
  const commands: PolicyCommand[] = (() => {
    switch (change.kind) {
      case 'create':
        return [change.policy.command];
      case 'replace':
        return [change.policy.command, ...commandOf(change.previous)];
      case 'drop':
      case 'off':
        return commandOf(change.name);
      case 'security':
        return ['all'];
    }
  })();
  // A statement that updates or deletes a row must also be allowed to select it.
  const reached = (access: Operation): boolean =>
    commands.some(
      (command) =>
        command === 'all' ||
        command === access ||
        (command === 'select' && (access === 'update' || access === 'delete')),
    );
  return accesses.filter(reached);
}

/** Returns the policies after the change. `applies` is whether a new policy applies to the role. */
export function changedPolicies(
  change: PolicyChange,
  policies: readonly Rule[],
  applies: boolean,
): readonly Rule[] {
  const without = (name: string): Rule[] => policies.filter((policy) => policy.name !== name);
  const added = ({ name, command, permissive, using, check }: PolicyText): Rule => ({
    name,
    command,
    permissive,
    applies,
    using,
    check,
  });
  switch (change.kind) {
    case 'create':
      return [...policies, added(change.policy)];
    case 'replace':
      return [...without(change.previous), added(change.policy)];
    case 'drop':
    case 'off':
      return without(change.name);
    case 'security':
      return policies;
  }
}
