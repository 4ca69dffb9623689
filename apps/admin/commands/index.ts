/** Every command of `npm run admin`. */
import { keyCreate } from './key-create.ts';
import { keyDelete } from './key-delete.ts';
import { keyList } from './key-list.ts';
import { objectsCollect } from './objects-collect.ts';
import { secretsEncrypt } from './secrets-encrypt.ts';
import { sweepsResume } from './sweeps-resume.ts';
import { sweepsStatus } from './sweeps-status.ts';
import { userCreate } from './user-create.ts';
import { userDelete } from './user-delete.ts';
import { userDisable } from './user-disable.ts';
import { userEnable } from './user-enable.ts';
import { userExport } from './user-export.ts';
import { userList } from './user-list.ts';
import { userPlan } from './user-plan.ts';

export const commands = [
  userCreate,
  userList,
  userPlan,
  userDisable,
  userEnable,
  userExport,
  userDelete,
  keyCreate,
  keyList,
  keyDelete,
  objectsCollect,
  sweepsStatus,
  sweepsResume,
  secretsEncrypt,
];
