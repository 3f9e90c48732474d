// The table of files in the report of a scan.

import { FileTable } from "./table.js";

const table = new FileTable(null);
table.add(JSON.parse(document.getElementById("saved").textContent), true);
document.getElementById("files")?.append(table.element);
