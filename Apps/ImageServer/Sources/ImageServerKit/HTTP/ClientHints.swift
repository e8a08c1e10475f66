import HTTPTypes

/// What a client says about its screen, its connection and what it does with the result (Client Hints, Save-Data and
/// Priority).
struct ClientHints: Hashable, Sendable {
    /// The pixels of the screen per pixel of the layout, from 0.001 to 8.
    var dpr: Double?
    /// The width of the image in pixels of the screen.
    var width: Int?
    /// Whether the client wants to load less data.
    var savesData = false
    /// Whether the client shows a result while it arrives.
    var isIncremental = false

    /// The names of the fields, for Vary.
    static let names = "Sec-CH-DPR, DPR, Sec-CH-Width, Width, Save-Data"

    /// Applies the hints in place of defaults. The options of presets and URLs replace them.
    func apply(to options: inout ProcessingOptions) {
        if let dpr { options.dpr = dpr }
        if let width {
            options.width = min(max(1, Int((Double(width) / (dpr ?? 1)).rounded())), OptionTable.maxSide)
        }
        options.savesData = savesData
        options.isProgressive = isIncremental
    }

    /// A text that differs for different hints; nil for none.
    var key: String? {
        self == ClientHints() ? nil : "\(dpr ?? 0) \(width ?? 0) \(savesData) \(isIncremental)"
    }
}

extension ClientHints {
    /// Reads the fields of a request. What is not valid is ignored.
    init(_ fields: HTTPFields) {
        func text(_ names: String...) -> String? { names.lazy.compactMap { fields[$0] }.first }
        dpr = text("Sec-CH-DPR", "DPR").flatMap(Double.init).flatMap {
            OptionTable.factors.lowerBound <= $0 && $0 <= 8 ? $0 : nil
        }
        width = text("Sec-CH-Width", "Width").flatMap { Int($0) }.flatMap { $0 > 0 && $0 <= 65_535 ? $0 : nil }
        savesData = text("Save-Data")?.lowercased() == "on"
    }
}

extension HTTPFields {
    fileprivate subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}
