"""The notebooks and the page's part of ``live.py``."""

from __future__ import annotations

from pathlib import Path

import nbformat

HERE = Path(__file__).parent

# Ways to move one chart: Vega's data interface (what the tuner ships), an array as a chart's parameter
# (sixteen bars, or an outcome a question), and a chart made anew.
DESIGNS = ("rows", "array", "codes", "rebuilt")

# Times are the page's own: from the key that was heard to the last change of the chart, and to the frame after.
PAGE = """() => {
  const bench = (window.bench = {});
  bench.ask = async (code) => {
    const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
    const future = kernel.requestExecute({ code });
    let out = "";
    future.onIOPub = (m) => {
      if (m.header.msg_type === "stream") out += m.content.text;
      if (m.header.msg_type === "error") out += JSON.stringify(m.content.traceback);
    };
    await future.done;
    return out;
  };
  let key = 0, changed = 0, frame = 0;
  const hear = (event) => { if (key === 0) key = event.timeStamp; };
  document.addEventListener("keydown", hear, true);
  let watch = null;
  bench.arm = (chart) => {
    watch?.disconnect();
    key = changed = frame = 0;
    watch = new MutationObserver(() => {
      if (!key) return;
      changed = performance.now();
      requestAnimationFrame(() => { frame = performance.now(); });
    });
    watch.observe(document.querySelector("." + chart), {
      subtree: true, childList: true, characterData: true, attributes: true,
    });
  };
  bench.painted = async () => {
    const begun = performance.now();
    const now = () => performance.now();
    // Nothing more has changed for a while, or nothing at all has for long.
    while (changed && frame >= changed ? now() - changed < 150 : now() - begun < 3000) {
      await new Promise((done) => setTimeout(done, 10));
    }
    watch.disconnect();
    return changed ? { changed: changed - key, frame: frame - key } : null;
  };
}"""

EVIDENCE = """
import json, sys, time
sys.path.insert(0, {here!r})
from crowded import crowded
from memlab import Settings, widgets
evidence, exam = crowded({questions}, {candidates}, "제목" * ({title} // 2))
timed = []
def clock(control):
    # All that the kernel does about one message of the page, sending included.
    def heard(message):
        wall, cpu = time.perf_counter(), time.process_time()
        control._handle_msg(message)
        timed.append((1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)))
    control.comm.on_msg(heard)
"""

TUNER = """
tuner = widgets.ThresholdTuner(evidence, exam, Settings(gap=0.03, gap_alone=0.12))
controls = {"gap": tuner.controls.sliders["gap"], "switch": tuner.controls.switches["normalise_length"]}
for name, control in controls.items():
    control.add_class(f"bench-{name}")
    clock(control)
tuner
"""

DESIGN = """
import altair as alt, ipywidgets
from memlab import charts
from memlab.exam.grade import Grader
from memlab.rules.decide import Decider
from memlab.widgets import LiveChart
decider, grader = Decider(evidence), Grader(exam)
first = Settings(gap=0.02, gap_alone=0.12)
def graded(settings):
    return grader.grade(decider.decide(settings), settings)
# Graded beforehand: here only the way to the chart is measured.
steps = [graded(first.but(gap=round(0.02 + 0.002 * step, 3))) for step in range({steps})]
data = [charts.outcomes_data(one).to_dicts() for one in steps]
"""

WAYS = """
alt.JupyterChart.enable_offline()
svg = {"renderer": "svg", "actions": False}
plain = charts.outcomes(steps[0], risk=False, width=290)

live = LiveChart(plain)
def rows(step):
    live.update({"outcomes": charts.outcomes_data(steps[step])})

# Each row of the chart looks its own values up in the array.
numbered = charts.outcomes(steps[0], risk=False, width=290).copy()
numbered.data = alt.InlineData([{"segment": row["segment"], "group": row["group"], "label": row["label"],
                                 "setting": "", "i": i} for i, row in enumerate(data[0])])
fields = ("count", "n", "share", "low", "high", "start", "end")
numbered = numbered.transform_calculate(**{name: f"held[datum.i].{name}" for name in fields})
array_view = alt.JupyterChart(numbered.add_params(alt.param(name="held", value=data[0])), embed_options=svg)
def array(step):
    array_view.params.held = data[step]

names = [row["segment"] for row in data[0]]
def codes_of(one):
    segment = widgets.questions.segment()
    numbers = segment.replace_strict({name: i for i, name in enumerate(names)}, return_dtype=int)
    return one.rows.select(code=numbers)["code"].to_list()
coded = [codes_of(one) for one in steps]
asked = alt.InlineData([{"q": q, "group": "answerable" if code < 5 else "unanswerable"}
                        for q, code in enumerate(coded[0])])
counted = (
    alt.Chart(asked).transform_calculate(segment="names[codes[datum.q]]")
    .mark_bar().encode(x=alt.X("count():Q", stack="normalize"), y="group:N", color="segment:N")
    .add_params(alt.param(name="codes", value=coded[0]), alt.param(name="names", value=names))
    .properties(width=290)
)
codes_view = alt.JupyterChart(counted, embed_options=svg)
def codes(step):
    codes_view.params.codes = coded[step]

rebuilt_view = alt.JupyterChart(plain, embed_options=svg)
def rebuilt(step):
    rebuilt_view.chart = charts.outcomes(steps[step], risk=False, width=290)

ways = {"rows": (live, rows), "array": (array_view, array), "codes": (codes_view, codes),
        "rebuilt": (rebuilt_view, rebuilt)}
shown = []
for name, (view, way) in ways.items():
    slider = ipywidgets.IntSlider(min=0, max=len(steps) - 1)
    slider.add_class(f"bench-slider-{name}")
    view.add_class(f"bench-{name}")
    slider.observe(lambda change, way=way: way(change["new"]), "value")
    clock(slider)
    shown.append(ipywidgets.VBox([slider, view]))
ipywidgets.VBox(shown)
"""


def tuner_cells(path: Path, questions: int, candidates: int, title: int) -> None:
    """Write the notebook of the tuner."""
    made = EVIDENCE.format(here=str(HERE), questions=questions, candidates=candidates, title=title)
    _write(path, made + TUNER)


def designs_cells(path: Path, questions: int, candidates: int, title: int, steps: int) -> None:
    """Write the notebook of the designs."""
    made = EVIDENCE.format(here=str(HERE), questions=questions, candidates=candidates, title=title)
    _write(path, made + DESIGN.format(steps=steps), WAYS)


def _write(path: Path, *cells: str) -> None:
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells],
    )
    nbformat.write(notebook, path)
