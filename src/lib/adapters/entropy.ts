import { randomBytes } from 'node:crypto';
import type { Entropy } from '../engine/entropy.ts';

/** Randomness of the operating system. */
export const systemEntropy: Entropy = { token: () => randomBytes(16).toString('base64url') };
