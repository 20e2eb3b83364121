const sites = [
  { name: 'hospital A', y: 20 },
  { name: 'hospital B', y: 90 },
  { name: 'hospital C', y: 160 },
] as const;

const slopes = [
  { y: 90, from: 348, to: 382 },
  { y: 112, from: 360, to: 406 },
  { y: 134, from: 330, to: 362 },
] as const;

/** Three sites with rows, one small table of sums from each, one model. */
export function OneRoundPicture() {
  return (
    <svg
      class="one-round"
      viewBox="0 0 414 206"
      role="img"
      aria-label="Three hospitals keep their rows. Each sends one small triangle of sums to the coordinator, which adds them and solves one model."
    >
      {sites.map(({ name, y }) => (
        <g key={name}>
          <text x={0} y={y - 6}>
            {name}
          </text>
          <rect class="site" x={1} y={y} width={80} height={44} rx={6} />
          {[10, 18, 26, 34].map((row) => (
            <path key={row} class="cells" d={`M10 ${y + row}h62`} />
          ))}
          <path class="way" d={`M88 ${y + 22}C140 ${y + 22} 150 112 188 112`} />
          <path class="sums" d={`M100 ${y + 12}h20v20z`} />
        </g>
      ))}
      <rect class="coordinator" x={196} y={84} width={80} height={56} rx={8} />
      <path class="sums" d="M222 98h28v28z" />
      <text x={236} y={158} text-anchor="middle">
        coordinator
      </text>
      <path class="way" d="M284 112H318" />
      <path class="zero" d="M344 78V146" />
      {slopes.map(({ y, from, to }) => (
        <g key={y}>
          <path class="interval" d={`M${from} ${y}H${to}`} />
          <circle class="estimate" cx={(from + to) / 2} cy={y} r={4.5} />
        </g>
      ))}
      <text x={366} y={164} text-anchor="middle">
        one model
      </text>
    </svg>
  );
}
