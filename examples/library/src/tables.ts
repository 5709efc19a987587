const TABLES: { [path: string]: string } = {
  "/notices": "SELECT * FROM notices ORDER BY date DESC, branch, days_late DESC LIMIT 100",
  "/summaries": "SELECT * FROM summaries ORDER BY branch",
  "/reports": "SELECT * FROM reports ORDER BY business_date DESC LIMIT 12",
};

/** What the jobs have brought about, as JSON. */
export async function showTable(path: string, db: D1Database): Promise<Response> {
  const sql = Object.hasOwn(TABLES, path) && TABLES[path];
  if (!sql) return Response.json({ tables: Object.keys(TABLES) }, { status: path === "/" ? 200 : 404 });
  const { results } = await db.prepare(sql).all();
  return Response.json(results);
}
