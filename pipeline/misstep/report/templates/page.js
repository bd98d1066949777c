(() => {
  const specifications = JSON.parse(document.getElementById("specifications").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const views = new Map();
  const chosen = new Set();

  const looks = () => {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    const ink = value("--ink"), soft = value("--soft"), line = value("--line");
    return {
      background: "transparent",
      font: "system-ui, Helvetica, Arial, sans-serif",
      view: { stroke: null },
      axis: { labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal", labelColor: ink, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, labelLimit: 240 },
      legend: { labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal", labelColor: ink, titleColor: soft, labelLimit: 320, symbolSize: 70 },
      header: { labelFontSize: 12, labelFontWeight: 600, title: null, labelAnchor: "start", labelColor: ink },
    };
  };

  const show = () => {
    const names = [...chosen];
    for (const view of views.values()) view.signal("chosen", names).run();
    for (const chip of document.querySelectorAll(".chip"))
      chip.setAttribute("aria-pressed", String(chosen.has(chip.dataset.configuration)));
    for (const row of document.querySelectorAll("tr[data-configuration]"))
      row.classList.toggle("dimmed", chosen.size > 0 && !chosen.has(row.dataset.configuration));
  };

  const toggle = (name) => {
    if (!chosen.delete(name)) chosen.add(name);
    show();
  };

  const legends = (value, width) => {
    if (Array.isArray(value)) for (const part of value) legends(part, width);
    else if (value && typeof value === "object") {
      const legend = value.legend, names = value.scale?.domain;
      if (legend?.columns && Array.isArray(names)) {
        const longest = Math.max(...names.map((name) => String(name).length));
        legend.columns = Math.max(1, Math.min(names.length, 6, Math.floor((width - 90) / (6.2 * longest + 26))));
      }
      for (const part of Object.values(value)) legends(part, width);
    }
  };

  const fitted = (name, place) => {
    const specification = structuredClone(specifications[name]);
    if (typeof specification.width === "number") {
      specification.width = "container";
      specification.autosize = { type: "fit-x", contains: "padding" };
    }
    if (specification.facet && specification.spec.width)
      specification.columns = Math.max(1, Math.min(specification.columns, Math.floor((place.clientWidth - 60) / (specification.spec.width + 70))));
    for (const part of ["encoding", "layer", "spec"]) legends(specification[part], place.clientWidth);
    return specification;
  };

  const draw = async () => {
    const options = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false } };
    for (const place of document.querySelectorAll(".chart")) {
      const name = place.dataset.figure;
      const picture = place.querySelector("img");
      const words = picture ? picture.alt : place.getAttribute("aria-label");
      try {
        views.get(name)?.finalize();
        const made = await vegaEmbed(place, fitted(name, place), { ...options, config: looks() });
        views.set(name, made.view);
        place.setAttribute("aria-label", words);
        made.view.addEventListener("click", (event, item) => {
          const configuration = item?.datum?.configuration;
          if (configuration) toggle(configuration);
        });
      } catch (error) {
        console.error(name, error);
      }
    }
    show();
  };

  for (const chip of document.querySelectorAll(".chip")) chip.addEventListener("click", () => toggle(chip.dataset.configuration));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosen.size) { chosen.clear(); show(); }
  });
  dark.addEventListener("change", draw);
  draw();
})();
