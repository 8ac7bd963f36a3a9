export function DataTable({ title, head, rows }: { title: string; head: string[]; rows: (string | number)[][] }) {
  return (
    <details>
      <summary>{title}</summary>
      <table class="table table-small">
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={name} scope="col" class={index ? "number" : ""}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((value, index) =>
                index === 0 ? (
                  <th key={index} scope="row">
                    {value}
                  </th>
                ) : (
                  <td key={index} class="number">
                    {value}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
