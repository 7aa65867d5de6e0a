import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PresenceDiff, type PresenceState, TopicPresence } from './presence.ts';

const createPresence = (): TopicPresence<string> => {
  let count = 0;
  return new TopicPresence(() => `ref${++count}`);
};

test('members are tracked, updated, repeated and untracked', () => {
  const presence = createPresence();
  const join = { key: 'key', meta: { a: 1, phx_ref: 'ref1' } };
  expect(presence.track('m', 'key', { a: 1 })).toEqual({ join });
  expect(presence.takeDiff()).toEqual({ joins: { key: { metas: [{ a: 1, phx_ref: 'ref1' }] } }, leaves: {} });
  expect(presence.track('m', 'key', { a: 1 })).toBeUndefined();
  expect(presence.takeDiff()).toBeUndefined();
  presence.track('m', 'key', { a: 2 });
  expect(presence.takeDiff()).toEqual({
    joins: { key: { metas: [{ a: 2, phx_ref: 'ref2', phx_ref_prev: 'ref1' }] } },
    leaves: { key: { metas: [{ a: 1, phx_ref: 'ref1' }] } },
  });
  presence.track('n', 'key', {});
  expect(presence.state().key?.metas).toHaveLength(2);
  expect(presence.untrack('m')).toEqual({ leave: 'ref2' });
  expect(presence.untrack('m')).toBeUndefined();
  expect(presence.takeDiff()?.leaves).toEqual({
    key: { metas: [{ a: 2, phx_ref: 'ref2', phx_ref_prev: 'ref1' }] },
  });
});

test('a payload can’t set its own reference, and unusual keys are supported', () => {
  const presence = createPresence();
  presence.track('m', '__proto__', JSON.parse('{"phx_ref":"mine","__proto__":{"x":1}}'));
  expect(JSON.stringify(presence.state())).toBe(
    '{"__proto__":{"metas":[{"phx_ref":"ref1","__proto__":{"x":1}}]}}',
  );
});

/** Applies a diff as realtime-js does, which adds and removes metas by their reference. */
function apply(state: Map<string, Set<string>>, { joins, leaves }: PresenceDiff): void {
  const refs = (part: PresenceState) =>
    Object.entries(part).flatMap(([key, { metas }]) => metas.map((meta) => [key, meta.phx_ref] as const));
  for (const [key, ref] of refs(joins)) state.set(key, (state.get(key) ?? new Set()).add(ref));
  for (const [key, ref] of refs(leaves)) {
    state.get(key)?.delete(ref);
    if (state.get(key)?.size === 0) state.delete(key);
  }
}

test('a client that applies the diffs has the right state, however they are batched', () => {
  const step = fc.record({
    member: fc.constantFrom('a', 'b', 'c'),
    act: fc.constantFrom('track', 'untrack', 'send'),
    payload: fc.record({ n: fc.nat(2) }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const presence = createPresence();
      const client = new Map<string, Set<string>>();
      const sendDiff = (): void => {
        const diff = presence.takeDiff();
        if (diff !== undefined) apply(client, diff);
      };
      for (const { member, act, payload } of steps) {
        if (act === 'track') presence.track(member, member === 'c' ? 'a' : member, payload);
        else if (act === 'untrack') presence.untrack(member);
        else sendDiff();
      }
      sendDiff();
      const expected = Object.entries(presence.state()).map(([key, { metas }]) => [
        key,
        metas.map(({ phx_ref }) => phx_ref).sort(),
      ]);
      expect([...client].map(([key, refs]) => [key, [...refs].sort()]).sort()).toEqual(expected.sort());
    }),
  );
});

/** In this test, two processes send each other individual changes or the complete state. */
test('updates from another process produce the same state in any order of diffs and snapshots', () => {
  const step = fc.record({
    here: fc.boolean(),
    member: fc.constantFrom('a', 'b', 'c'),
    act: fc.constantFrom('track', 'untrack', 'send', 'lose', 'whole', 'gone'),
    payload: fc.record({ n: fc.nat(2) }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let count = 0;
      const nextRef = (): string => `ref${++count}`;
      const here = new TopicPresence<string>(nextRef);
      const there = new TopicPresence<string>(nextRef);
      const client = new Map<string, Set<string>>();
      const sendDiff = (): void => {
        const diff = here.takeDiff();
        if (diff !== undefined) apply(client, diff);
      };
      for (const { here: isHere, member, act, payload } of steps) {
        const presence = isHere ? here : there;
        const change =
          act === 'track' || act === 'lose'
            ? presence.track(member, member, payload)
            : act === 'untrack'
              ? presence.untrack(member)
              : undefined;
        if (change !== undefined && !isHere && act !== 'lose') here.apply('there', change);
        if (act === 'send') sendDiff();
        if (act === 'whole') here.replace('there', there.own());
        if (act === 'gone') here.replace('there', []);
      }
      here.replace('there', there.own());
      sendDiff();
      const refs = (state: PresenceState): unknown[] =>
        Object.entries(state)
          .map(([key, { metas }]) => [key, metas.map(({ phx_ref }) => phx_ref).sort()])
          .sort();
      const all = [...here.own(), ...there.own()].map(({ meta }) => meta.phx_ref).sort();
      expect([...client].map(([key, set]) => [key, [...set].sort()]).sort()).toEqual(refs(here.state()));
      expect([...client.values()].flatMap((set) => [...set]).sort()).toEqual(all);
    }),
  );
});
