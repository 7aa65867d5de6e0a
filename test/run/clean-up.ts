/**
 * Runs before each test file in a process that many files share. After the file, it restores the cluster for the next
 * file.
 */
import { afterAll } from 'vitest';
import { resetTestCluster } from '../../src/database/testing.ts';

afterAll(resetTestCluster);
