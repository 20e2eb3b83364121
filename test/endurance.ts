/** Whether tests of endurance run at full length, as `npm run endure` does: the check has a part of them, to stay short. */
export const enduring: boolean = process.env.SUFFICE_ENDURE === '1';
