import Foundation
import ImageMetadata

/// What an Exif block says about a photograph.
struct ExifSummary: Encodable, Hashable, Sendable {
    var make: String?
    var model: String?
    /// When the photograph was taken: `YYYY:MM:DD HH:MM:SS`.
    var date: String?
    /// Whether the block contains a position.
    var hasLocation: Bool

    init(_ exif: Data) {
        let metadata = EmbeddedMetadata(exif: exif)
        make = metadata.cameraMake
        model = metadata.cameraModel
        date = metadata.captureDate.map { date in
            let day = String(format: "%04d:%02d:%02d", date.year ?? 0, date.month ?? 0, date.day ?? 0)
            guard let hour = date.hour, let minute = date.minute, let second = date.second else { return day }
            return day + String(format: " %02d:%02d:%02d", hour, minute, second)
        }
        hasLocation = metadata.location != nil
    }

    /// A human-readable text, such as `Canon EOS 5D, 2024:05:01 12:00:00, location`.
    var text: String {
        let camera = [make, model].compactMap(\.self).joined(separator: " ")
        return [camera.isEmpty ? nil : camera, date, hasLocation ? "location" : nil].compactMap(\.self).joined(
            separator: ", ")
    }
}
