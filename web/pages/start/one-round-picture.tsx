const sites = [
  { name: 'hospital A', y: 20 },
  { name: 'hospital B', y: 96 },
  { name: 'hospital C', y: 172 },
] as const;

/** Three sites with rows, one small table of sums from each, one model. */
export function OneRoundPicture() {
  return (
    <svg
      class="one-round"
      viewBox="0 0 560 244"
      role="img"
      aria-label="Three hospitals keep their rows. Each sends one small triangle of sums to the coordinator, which adds them and solves one model."
    >
      {sites.map(({ name, y }) => (
        <g key={name}>
          <text x={0} y={y - 6}>
            {name}
          </text>
          <rect class="site" x={0} y={y} width={104} height={50} rx={6} />
          {[0, 1, 2, 3].map((row) => (
            <path key={row} class="cells" d={`M12 ${y + 10 + 10 * row}h80`} />
          ))}
          <path class="way" d={`M112 ${y + 25}C190 ${y + 25} 210 121 262 121`} />
          <path class="sums" d={`M132 ${y + 12}h26v26z`} />
        </g>
      ))}
      <rect class="coordinator" x={272} y={92} width={96} height={58} rx={8} />
      <path class="sums" d="M304 105h32v32z" />
      <text x={320} y={168} text-anchor="middle">
        coordinator
      </text>
      <path class="way" d="M376 121H420" />
      {[
        { y: 96, from: 446, to: 500 },
        { y: 121, from: 470, to: 536 },
        { y: 146, from: 430, to: 470 },
      ].map(({ y, from, to }) => (
        <g key={y}>
          <path class="interval" d={`M${from} ${y}H${to}`} />
          <circle class="estimate" cx={(from + to) / 2} cy={y} r={4.5} />
        </g>
      ))}
      <path class="zero" d="M452 82V160" />
      <text x={484} y={178} text-anchor="middle">
        one model
      </text>
    </svg>
  );
}
