/** Whether long tests run at full length, as in `npm run endure`, which runs the files that import this; the check runs a part of them, to stay short. */
export const enduring: boolean = process.env.SUFFICE_ENDURE === '1';
