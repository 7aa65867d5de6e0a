import { expect, test } from 'vitest';
import { Occupancy } from './occupancy.ts';

const limits = { perShape: 2, perClient: 3, anonymous: 4, total: 5 };
const claim = (client: string, shape?: object, isAnonymous = true) => ({ client, shape, isAnonymous });

function occupied(...claims: ReturnType<typeof claim>[]): Occupancy {
  const occupancy = new Occupancy(limits);
  for (const one of claims) occupancy.enter(one);
  return occupancy;
}

test('limits the calls per shape, per client, for anonymous clients and in total', () => {
  const [one, other] = [{}, {}];
  expect(occupied(claim('a', one), claim('b', one)).verdict(claim('c', one))).toBe('skip');
  expect(occupied(claim('a', one), claim('b', one)).verdict(claim('c', other))).toBe('start');
  expect(occupied(claim('a'), claim('a'), claim('a')).verdict(claim('a', one))).toBe('skip client');
  const anonymous = occupied(claim('a'), claim('b'), claim('c'), claim('d'));
  expect(anonymous.verdict(claim('e'))).toBe('skip');
  expect(anonymous.verdict(claim('e', undefined, false))).toBe('start');
  anonymous.enter(claim('e', undefined, false));
  expect(anonymous.verdict(claim('f', undefined, false))).toBe('skip');
});

test('a call that has ended isn’t counted', () => {
  const shape = {};
  const occupancy = occupied(claim('a', shape), claim('a', shape));
  occupancy.leave(claim('a', shape));
  expect(occupancy.verdict(claim('a', shape))).toBe('start');
});
