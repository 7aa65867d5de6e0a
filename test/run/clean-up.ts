/**
 * Runs in each test file of a process that many files share. After the file, it restores the cluster for the next file.
 */
import { afterAll } from 'vitest';
import { resetTestCluster } from '../../src/database/testing.ts';

afterAll(resetTestCluster);
