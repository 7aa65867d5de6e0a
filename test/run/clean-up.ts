/**
 * Runs before each test file in a process that many files share. After the file, the next file finds a clean cluster.
 */
import { afterAll } from 'vitest';
import { resetTestCluster } from '../../src/database/testing.ts';

afterAll(resetTestCluster);
