import { render } from "preact";
import { App } from "./app";
import { startTheme } from "./parts/theme";
import "uplot/dist/uPlot.min.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/forms.css";
import "./styles/tables.css";
import "./styles/parts.css";
import "./styles/picture.css";

startTheme();
render(<App />, document.getElementById("page")!);
