/**
 * Runs in each test file of a process that many files share. After each file, this module restores the test cluster to
 * its initial state for the next file.
 */
import { afterAll } from 'vitest';
import { resetTestCluster } from '../../src/platform/database/testing.ts';

afterAll(resetTestCluster);
