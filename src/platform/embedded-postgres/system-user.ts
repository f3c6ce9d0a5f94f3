import { stat } from 'node:fs/promises';
import { type SystemUser, hasCode, run, succeeds } from './operating-system.js';

/** PostgreSQL refuses to run as root; these are tried in turn. */
const CANDIDATES = ['postgres', 'node', 'nobody'];

/**
 * Who the server runs as: undefined means as ourselves, which is always so unless we are root.
 * Data that exists stays with its owner. `data` need not exist.
 */
export async function serverUser(data: string): Promise<SystemUser | undefined> {
  const owner = await ownerOf(data);
  const self = process.getuid?.();
  if (self !== 0) {
    if (owner !== undefined && owner.uid !== self) {
      throw new Error(`${data} belongs to another user: start as that user or as root, or set DATA_DIR elsewhere.`);
    }
    return undefined;
  }
  if (owner !== undefined && owner.uid !== 0) return { name: `user ${owner.uid}`, ...owner };
  for (const name of CANDIDATES) {
    const systemUser = await findSystemUser(name);
    if (systemUser !== undefined) return systemUser;
  }
  throw new Error(
    'PostgreSQL cannot run as root and there is no user postgres, node or nobody: start as another user.',
  );
}

/** Whether `systemUser` may enter `directory`; asked by trying, so that access lists and mounts count too. */
export async function canEnter(directory: string, systemUser: SystemUser | undefined): Promise<boolean> {
  return succeeds('/bin/sh', ['-c', 'cd -- "$0"', directory], systemUser);
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function findSystemUser(name: string): Promise<SystemUser | undefined> {
  const ask = (flag: string): Promise<number> => run('id', [flag, name]).then(Number, () => Number.NaN);
  const uid = await ask('-u');
  const gid = await ask('-g');
  return Number.isInteger(uid) && Number.isInteger(gid) ? { name, uid, gid } : undefined;
}
