import { expect, test } from 'vitest';
import { queueMetrics } from './queue-metrics.ts';

test('each queue has a label, and the gateway’s rejections are counted per service', () => {
  const load = { waiting: 3, waited: 20, waitedMs: 1500, rejected: 7 };
  const gateway = { ...load, waiting: 1, expectedWaitMs: 250, rejectedByPrefix: new Map([['/rest/v1', 7]]) };
  expect(queueMetrics({ passwords: load }, gateway)).toMatchObject({
    plinth_queue_waiting: [
      [['passwords'], 3],
      [['gateway'], 1],
    ],
    plinth_queue_waited_seconds_total: [
      [['passwords'], 1.5],
      [['gateway'], 1.5],
    ],
    plinth_gateway_expected_wait_seconds: [[[], 0.25]],
    plinth_gateway_rejected_total: [[['/rest/v1'], 7]],
  });
  expect(queueMetrics({}, undefined)).toMatchObject({ plinth_queue_waiting: [] });
});
