internal import ImageCore
internal import ImageMetadata

/// What the side panel tells about a photo.
nonisolated enum PhotoDetails {
    /// Returns the properties of an image file, of which the metadata is read outside the main actor.
    @concurrent static func properties(of file: Data, header: ImageHeader) async -> [Property] {
        let metadata = EmbeddedMetadata(of: file, header: header)
        let values: [(String, String?)] = [
            ("Size", "\(header.size.width) × \(header.size.height)"),
            ("File", "\(header.format.rawValue.uppercased()), \(byteCount(file.count))"),
            ("Frames", header.frameCount > 1 ? "\(header.frameCount)" : nil),
            ("Taken", metadata.captureDate.flatMap(date)),
            ("Camera", camera(metadata)),
            ("Place", metadata.location.map(place)),
            ("Creator", metadata.creator),
            ("Copyright", metadata.copyright),
            ("Color profile", metadata.colorProfileName),
        ]
        return values.compactMap { name, value in value.map { Property(name: name, value: $0) } }
    }

    private static func byteCount(_ count: Int) -> String {
        count < 1_000_000 ? "\((count + 500) / 1000) kB" : "\((Double(count) / 1e5).rounded() / 10) MB"
    }

    private static func date(_ date: DateComponents) -> String? {
        guard let year = date.year, let month = date.month, let day = date.day else { return nil }
        guard let hour = date.hour, let minute = date.minute else { return "\(year)-\(two(month))-\(two(day))" }
        return "\(year)-\(two(month))-\(two(day)) \(two(hour)):\(two(minute))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Most models begin with the name of the manufacturer.
    private static func camera(_ metadata: EmbeddedMetadata) -> String? {
        guard let make = metadata.cameraMake, let model = metadata.cameraModel else {
            return metadata.cameraModel ?? metadata.cameraMake
        }
        return model.hasPrefix(make) ? model : "\(make) \(model)"
    }

    private static func place(_ place: EmbeddedMetadata.Location) -> String {
        "\(degrees(place.latitude))° \(place.latitude < 0 ? "S" : "N"), "
            + "\(degrees(place.longitude))° \(place.longitude < 0 ? "W" : "E")"
    }

    private static func degrees(_ value: Double) -> Double { (abs(value) * 1e4).rounded() / 1e4 }
}
