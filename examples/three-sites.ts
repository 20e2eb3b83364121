import { federate, reportText } from 'suffice';

const number = { type: 'number', range: [0, 100] } as const;
const codebook = { days: number, age: number };
const disclosure = { profile: 'none' } as const; // nine made-up rows; the rules protect real ones
const { report } = federate(
  { formula: 'days ~ age', codebook, disclosure },
  {
    north: { days: [21, 25, 19], age: [44, 61, 39] },
    south: { days: [30, 28, 35], age: [70, 58, 81] },
    west: { days: [17, 22, null], age: [35, 52, 66] },
  },
);
console.log(reportText(report));
